// An allocation as its agents live it: each on a node of its own, waiting for orders or at work, until it is told to leave, its node dies or
// the executor ends the job.

import type { Announcement, AnnouncementResponse } from '@ironlaw/contracts/report'
import type { JobSpec } from '@ironlaw/executors'
import type { SimulatedJob } from './simulated-job.ts'

export type RankPosition = { readonly job: SimulatedJob; readonly index: number }

export class SimulatedAgent {
  readonly #identity: Announcement
  /** Where it works, or worked last. */
  place: RankPosition | undefined
  isGone = false
  isAsking = false

  constructor(identity: Announcement) {
    this.#identity = identity
  }

  get node(): string {
    return this.#identity.node
  }

  get announcement(): Announcement {
    return { ...this.#identity, ended_attempt: this.isIdle ? (this.place?.job.parts.order.attempt ?? 0) : 0 }
  }

  get isIdle(): boolean {
    return !this.isGone && (this.place === undefined || this.place.job.isOver)
  }

  end(): void {
    this.isGone = true
    this.place?.job.lose(this.place.index)
  }
}

type Parts = {
  readonly spec: JobSpec
  readonly nodes: readonly string[]
  /** Ends the job at its executor. */
  readonly exit: (status: number) => void
}

export class SimulatedAllocation {
  readonly parts: Parts
  readonly run: string
  readonly agents: readonly SimulatedAgent[]
  /** The node that the batch script ran on is lost: nobody tells the executor when the agents have left. */
  #isHeadless = false

  constructor(parts: Parts) {
    const { spec, nodes } = parts
    this.parts = parts
    this.run = spec.env['IRONLAW_RUN'] ?? ''
    const allocation = Number(spec.env['IRONLAW_ALLOCATION'])
    this.agents = nodes.map(
      (node, index) => new SimulatedAgent({ allocation, index, node, host: node, incarnation: `${spec.key}-${index}` }),
    )
  }

  lose(node: string): void {
    if (this.parts.nodes[0] === node) this.#isHeadless = true
    for (const agent of this.agents) if (agent.node === node) agent.end()
  }

  /** Slurm ends a job whose first node registers again without the job's script; that of any other node is of no account. */
  handleNodeReturn(node: string): void {
    if (this.parts.nodes[0] === node && this.#isHeadless) this.parts.exit(1)
  }

  /** The executor has ended it. */
  end(): void {
    for (const agent of this.agents) agent.end()
  }

  handleAnswer(agent: SimulatedAgent, { leave }: AnnouncementResponse): void {
    if (!leave || !agent.isIdle) return
    agent.isGone = true
    if (!this.#isHeadless && this.agents.every(({ isGone }) => isGone)) this.parts.exit(0)
  }
}

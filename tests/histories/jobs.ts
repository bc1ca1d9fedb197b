// The allocations of a history's fleet with their agents, the attempts that run on them, and the way of announcements and reports to the
// API: lost, late, repeated, out of order.

import { IronlawError } from '@ironlaw/contracts'
import type { AnnouncementResponse, Order, Report } from '@ironlaw/contracts/report'
import type { Executor, JobSpec } from '@ironlaw/executors'
import type { SimulatedFleet } from '@ironlaw/executors/simulated'
import { answerAgent } from '../../packages/effects/control/src/runs/answer-agent.ts'
import type { takeReport } from '../../packages/effects/control/src/runs/take-report.ts'
import type { Plan, RunPlan } from './plan.ts'
import type { Plane } from './plane.ts'
import { RunDirectory } from './run-directory.ts'
import { type SimulatedAgent, SimulatedAllocation } from './simulated-allocation.ts'
import { SimulatedJob, TICK_S } from './simulated-job.ts'
import type { Storage } from './storage.ts'
import type { Timeline } from './timeline.ts'

type Parts = {
  readonly timeline: Timeline
  readonly storage: Storage
  readonly fleet: SimulatedFleet
  readonly plan: Plan
  readonly runs: ReadonlyMap<string, RunPlan>
  readonly takeReport: typeof takeReport
  /** The control plane that takes reports now, if any does. */
  readonly api: () => Plane | undefined
}

const attemptKey = (run: string, attempt: number): string => `${run}.${attempt}`

export class Jobs {
  readonly directories: ReadonlyMap<string, RunDirectory>
  /** The fleet's, remembering what was submitted and drained. */
  readonly executor: Executor
  readonly drained = new Set<string>()
  /** Copies of reports still under way. */
  late = 0
  readonly #parts: Parts
  readonly specs = new Map<string, JobSpec>()
  readonly #allocations = new Map<string, SimulatedAllocation>()
  readonly #jobs = new Map<string, SimulatedJob>()
  readonly #hung = new Set<string>()
  readonly #delivering = new Set<SimulatedJob>()
  #delivered = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.directories = new Map([...parts.runs.keys()].map((run) => [run, new RunDirectory()]))
    const { executor } = parts.fleet
    this.executor = {
      ...executor,
      submit: (spec) => {
        this.specs.set(spec.key, spec)
        return executor.submit(spec)
      },
      drain: (node, reason) => {
        this.drained.add(node)
        return executor.drain(node, reason)
      },
    }
  }

  spooledReports(run: string, attempt: number): readonly Report[] {
    return [...(this.#jobs.get(attemptKey(run, attempt))?.spool ?? [])]
  }

  /** Nodes of a job with an agent that could go on. */
  livingNodes(key: string): readonly string[] {
    const agents = this.#allocations.get(key)?.agents ?? []
    return agents.filter(({ isGone, node }) => !isGone && !this.#hung.has(node)).map(({ node }) => node)
  }

  kill(node: string): void {
    this.#parts.fleet.kill(node)
    for (const allocation of this.#allocations.values()) allocation.lose(node)
  }

  hang(node: string): void {
    this.#parts.fleet.hang(node)
    this.#hung.add(node)
  }

  restore(node: string): void {
    this.#parts.fleet.restore(node)
    this.#hung.delete(node)
    for (const allocation of this.#allocations.values()) allocation.handleNodeReturn(node)
  }

  killRank(run: string | undefined): void {
    const live = [...this.#jobs.values()].findLast(({ parts, isOver }) => parts.run === run && !isOver)
    live?.killRank()
  }

  /** Those that the fleet has started since the last look. */
  start(): void {
    const { fleet, runs, timeline } = this.#parts
    for (const [key, sighting] of fleet.jobs()) {
      const spec = this.specs.get(key)
      if (sighting.state !== 'running' || this.#allocations.has(key) || !spec || !runs.has(spec.env['IRONLAW_RUN'] ?? '')) continue
      timeline.addToTrace(`${key} starts on ${sighting.nodes.join(', ')}`)
      const allocation = new SimulatedAllocation({
        spec,
        nodes: sighting.nodes,
        exit: (status) => {
          timeline.addToTrace(`${key} exits with ${status}`)
          fleet.exit(key, status)
        },
      })
      this.#allocations.set(key, allocation)
      this.#tickAgents(allocation)
    }
  }

  #tickAgents(allocation: SimulatedAllocation): void {
    const { fleet, timeline } = this.#parts
    const sighting = fleet.jobs().get(allocation.parts.spec.key)
    if (sighting?.state !== 'running') return allocation.end()
    for (const agent of allocation.agents) if (!agent.isGone && !sighting.nodes.includes(agent.node)) agent.end()
    for (const agent of allocation.agents)
      if (agent.isIdle && !agent.isAsking && !this.#hung.has(agent.node)) this.#announce(allocation, agent)
    timeline.after(timeline.between(0.8, 2), () => this.#tickAgents(allocation))
  }

  #announce(allocation: SimulatedAllocation, agent: SimulatedAgent): void {
    const plane = this.#parts.api()
    if (!plane) return
    agent.isAsking = true
    const asking = { database: plane.ports.database, run_id: allocation.run, now: plane.ports.now(), onWake: () => plane.wake() }
    const { announcement } = agent
    void answerAgent(asking, announcement)
      .then((answer) => this.#deliverAnswer(allocation, agent, answer))
      // An answer that is lost is asked for again.
      .catch(() => undefined)
      .finally(() => (agent.isAsking = false))
  }

  #deliverAnswer(allocation: SimulatedAllocation, agent: SimulatedAgent, answer: AnnouncementResponse): void {
    if (agent.isGone || this.#hung.has(agent.node)) return
    allocation.handleAnswer(agent, answer)
    const { order } = answer
    if (order && agent.isIdle && order.attempt > (agent.place?.job.parts.order.attempt ?? 0)) this.#begin(allocation.run, agent, order)
  }

  #begin(run: string, agent: SimulatedAgent, order: Order): void {
    const job = this.#jobs.get(attemptKey(run, order.attempt)) ?? this.#newJob(run, order)
    if (!job || job.isOver) return
    agent.place = { job, index: order.index }
    job.join(order.index, agent.node)
  }

  #newJob(run: string, order: Order): SimulatedJob | undefined {
    const { runs, timeline, storage } = this.#parts
    const plan = runs.get(run)
    const directory = this.directories.get(run)
    if (!plan || !directory) return undefined
    timeline.addToTrace(`attempt ${order.attempt} of ${run} starts`)
    const job = new SimulatedJob({
      run,
      order,
      plan,
      directory,
      storage,
      now: () => timeline.now,
      isHung: (node) => this.#hung.has(node),
      isSlow: (node) => node === this.#parts.plan.slow,
    })
    this.#jobs.set(attemptKey(run, order.attempt), job)
    timeline.after(TICK_S, () => this.#tick(job))
    return job
  }

  /** What is in the spool of an attempt that is over is still delivered as long as one of its agents is there. */
  #tick(job: SimulatedJob): void {
    job.tick()
    this.#deliver(job)
    if (!job.isOver || (job.spool.length > 0 && job.hasAgent())) this.#parts.timeline.after(TICK_S, () => this.#tick(job))
  }

  #deliver(job: SimulatedJob): void {
    if (this.#delivering.has(job) || !job.canReport()) return
    this.#delivering.add(job)
    void this.#deliverAll(job).then(() => this.#delivering.delete(job))
  }

  /** In order, each until it was taken; the rest waits for the next tick. */
  async #deliverAll(job: SimulatedJob): Promise<void> {
    for (let report = job.spool[0]; report; report = job.spool[0]) {
      this.#delivered += 1
      const { isLost, after_s } = this.#fate(this.#delivered)
      if (after_s !== undefined) this.#repeat(job, report, after_s)
      if (!(await this.#deliverReport(job, report)) || isLost) return
      job.spool.shift()
    }
  }

  #fate(number: number): { readonly isLost: boolean; readonly after_s: number | undefined } {
    const { faults } = this.#parts.plan
    const repeated = faults.find((each) => each.kind === 'report-repeated' && each.number === number)
    return {
      isLost: faults.some((each) => each.kind === 'reply-lost' && each.number === number),
      after_s: repeated?.kind === 'report-repeated' ? repeated.after_s : undefined,
    }
  }

  #repeat(job: SimulatedJob, report: Report, after_s: number): void {
    const { timeline } = this.#parts
    const { run, order } = job.parts
    this.late += 1
    timeline.after(after_s, () => {
      timeline.addToTrace(`report ${report.sequence} of ${run}.${order.attempt} arrives again`)
      void this.#deliverReport(job, report).then(() => (this.late -= 1))
    })
  }

  /** Whether the agent need not send it again. */
  async #deliverReport(job: SimulatedJob, report: Report): Promise<boolean> {
    const { api, timeline, takeReport: take } = this.#parts
    const plane = api()
    if (!plane) return false
    const { run, order } = job.parts
    timeline.addToTrace(`report ${report.sequence} of ${run}.${order.attempt} is sent`)
    const reporting = {
      database: plane.ports.database,
      run_id: run,
      attempt: order.attempt,
      now: plane.ports.now(),
      onWake: () => plane.wake(),
    }
    return take(reporting, report).then(
      ({ stop }) => {
        if (stop) job.handleStop(stop)
        return true
      },
      (cause: unknown) => {
        if (!(cause instanceof IronlawError)) return false
        if (cause.code === 'IL_FENCED') job.handleStop('fenced')
        return true
      },
    )
  }
}

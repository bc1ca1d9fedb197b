// The engines behind replicas: programs of the jobs that the fleet runs, which write their address to storage that all nodes share.

import type { Executor, JobSpec } from '@ironlaw/executors'
import type { SimulatedFleet } from '@ironlaw/executors/simulated'
import type { AnnouncedEndpoint } from '../../../packages/effects/control/src/deploy/replica-access.ts'
import type { Timeline } from '../timeline.ts'
import type { Behaviour, Plan } from './plan.ts'

export type Engine = {
  readonly key: string
  /** Which program really runs: that of the plan's so-manieth revision. */
  readonly build: number
  readonly behaviour: Behaviour
  readonly nodes: readonly string[]
  readonly startedAt: number
  url?: string
  /** Since when it answers that it is ready. */
  readyAt?: number
}

const WARM_S = 0.5
const RETRY_S = 1
/** An engine that cannot start ends after this time. */
const EXIT_S = 1

type Parts = { readonly timeline: Timeline; readonly fleet: SimulatedFleet; readonly plan: Plan }

export class Engines {
  readonly executor: Executor
  readonly specs = new Map<string, JobSpec>()
  readonly engines = new Map<string, Engine>()
  /** Of the storage that holds the endpoints. */
  storage: 'well' | 'fails' | 'full' | 'hangs' = 'well'
  readonly #parts: Parts
  readonly #hung = new Set<string>()
  readonly #dead = new Set<string>()
  #urls = 0

  constructor(parts: Parts) {
    this.#parts = parts
    const { executor } = parts.fleet
    this.executor = {
      ...executor,
      submit: async (spec) => {
        const answer = await executor.submit(spec)
        if (answer.answer === 'submitted' && !answer.already) this.specs.set(spec.key, spec)
        return answer
      },
    }
  }

  kill(node: string): void {
    this.#parts.fleet.kill(node)
    this.#dead.add(node)
    for (const engine of this.engines.values()) if (engine.nodes.includes(node)) this.#lose(engine)
  }

  hang(node: string): void {
    this.#parts.fleet.hang(node)
    this.#hung.add(node)
  }

  /** As Slurm does when a node registers again: a job whose processes there are gone is over. */
  restore(node: string): void {
    this.#parts.fleet.restore(node)
    this.#hung.delete(node)
    if (!this.#dead.delete(node)) return
    for (const { key, nodes } of this.engines.values()) if (nodes.includes(node) && this.#lost.has(key)) this.#parts.fleet.exit(key, 1)
  }

  readonly #lost = new Set<string>()

  #lose({ key }: Engine): void {
    if (this.isRunning(key)) this.#lost.add(key)
  }

  isRunning(key: string): boolean {
    return this.#parts.fleet.jobs().get(key)?.state === 'running'
  }

  byUrl(url: string): Engine | undefined {
    return [...this.engines.values()].find((engine) => engine.url === url)
  }

  /** What its endpoint file says, to whom expects that token in it. */
  announcedUrl(key: string, token: string | undefined): AnnouncedEndpoint {
    const url = this.engines.get(key)?.url
    if (url === undefined || token === this.specs.get(key)?.env['IRONLAW_REPLICA_TOKEN']) return url
    return { refused: 'the endpoint file has the token of another replica' }
  }

  /** Whether it answers any request. */
  isUp({ key, nodes }: Engine): boolean {
    return this.isRunning(key) && !this.#lost.has(key) && !nodes.some((node) => this.#hung.has(node))
  }

  isReady(engine: Engine): boolean {
    return engine.readyAt !== undefined && this.#parts.timeline.now >= engine.readyAt && this.isUp(engine)
  }

  /** Starts the programs of jobs that the fleet has started since the last look. */
  start(): void {
    const { fleet, timeline, plan } = this.#parts
    for (const [key, sighting] of fleet.jobs()) {
      if (sighting.state !== 'running' || this.engines.has(key)) continue
      const build = Number(this.specs.get(key)?.argv[1] ?? 0)
      const behaviour = plan.revisions[build - 1]?.behaviour ?? 'good'
      const engine: Engine = { key, build, behaviour, nodes: sighting.nodes, startedAt: timeline.now }
      this.engines.set(key, engine)
      timeline.addToTrace(`${key} runs build ${build} on ${sighting.nodes.join(', ')}`)
      if (behaviour === 'exits') timeline.after(EXIT_S, () => fleet.exit(key, 1))
      else timeline.after(plan.boot_s, () => this.#announce(engine))
    }
  }

  #announce(engine: Engine): void {
    const { timeline } = this.#parts
    if (!this.isRunning(engine.key)) return
    if (this.storage !== 'well' || !this.isUp(engine)) return timeline.after(RETRY_S, () => this.#announce(engine))
    this.#urls += 1
    engine.url = `http://engine-${this.#urls}:8000`
    if (engine.behaviour !== 'never-ready') engine.readyAt = timeline.now + WARM_S
  }
}

// One history: control planes with the production reconciler and services, one database, one simulated fleet with its jobs, and the
// faults of a plan. What the plan does not say is drawn from its seed, so the same plan is the same history.

import { setImmediate as settled } from 'node:timers/promises'
import type { Attempt } from '@ironlaw/contracts'
import type { Executor } from '@ironlaw/executors'
import { type SimulatedFleet, simulatedFleet } from '@ironlaw/executors/simulated'
import { createRun, type Database, setDesired } from '@ironlaw/store'
import { undrain } from '../../packages/effects/control/src/fleet/nodes.ts'
import { takeReport } from '../../packages/effects/control/src/runs/take-report.ts'
import { Effects, type Process, type Verdict } from '../../packages/effects/control/test/effects.ts'
import { type Connection, simulatedDatabase } from '../../packages/effects/control/test/simulated-database.ts'
import { Jobs } from './jobs.ts'
import { FAULTS_END_S, type Plan, type TimedFault } from './plan.ts'
import { LIMITS, Plane } from './plane.ts'
import { Storage } from './storage.ts'
import { Timeline } from './timeline.ts'

/** Parts that a test may replace by broken ones. */
export type Parts = {
  readonly takeReport: typeof takeReport
  readonly executor: (inner: Executor) => Executor
  readonly connection: (inner: Connection) => Connection
}

export const SOUND: Parts = { takeReport, executor: (inner) => inner, connection: (inner) => inner }

/** From the end of the faults until every run must have ended. A clock that jumped ahead by 90 s leaves leases for so long. */
const PATIENCE_S = 300
const EFFECT_S = 0.01
const LOOK_EVERY_S = 8
const RETRY_S = 2

export type ReturnedNodes = { readonly run: string; readonly key: string; readonly attempt: number; readonly nodes: readonly string[] }

/** An attempt that waited for more nodes as long as it may: then it has to give back those it has. */
const gaveUpGathering = (attempt: Attempt | null | undefined): boolean =>
  attempt?.outcome?.cause === 'preempted' && (attempt.endedAt ?? 0) - attempt.submittedAt > LIMITS.gather_s

export type WorldOptions = {
  readonly parts: Parts
  readonly isTraced: boolean
  /** What its runs are called: no two histories in one database may share it. */
  readonly name: string
}

export class World {
  readonly plan: Plan
  readonly timeline: Timeline
  readonly fleet: SimulatedFleet
  readonly jobs: Jobs
  readonly runs: readonly string[]
  readonly cluster: string
  /** Past all faults and failures. */
  readonly database: Database
  effectCount = 0
  readonly #effects = new Effects()
  readonly #planes: readonly Plane[]
  readonly #storage: Storage
  #apiAwayUntil = 0
  #created = 0
  #live: number

  constructor(plan: Plan, connection: Connection, { parts, isTraced, name }: WorldOptions) {
    const timeline = new Timeline(plan.seed, isTraced)
    this.plan = plan
    this.timeline = timeline
    this.database = simulatedDatabase(connection)
    this.cluster = name
    this.runs = plan.runs.map((_, index) => `${name}-${index}`)
    this.#live = plan.runs.length
    this.fleet = simulatedFleet({ nodes: plan.nodes, slots: plan.slots, now_s: () => timeline.now, script: () => undefined })
    const runs = new Map(plan.runs.map((run, index) => [this.runs[index] ?? '', run]))
    const api = (): Plane | undefined => this.#planes.find(({ isUp }) => isUp && timeline.now >= this.#apiAwayUntil)
    this.#storage = new Storage(timeline)
    this.jobs = new Jobs({ timeline, storage: this.#storage, fleet: this.fleet, plan, runs, takeReport: parts.takeReport, api })
    const around = {
      timeline,
      effects: this.#effects,
      connection: parts.connection(connection),
      executor: parts.executor({ ...this.jobs.executor, cancel: (key) => this.#cancelJob(key) }),
      storage: this.#storage.guardStorage({
        completion: async (run) => this.jobs.directories.get(run)?.completed,
        spooled: async (run, attempt) => this.jobs.spooledReports(run, attempt),
      }),
      cluster: this.cluster,
    }
    this.#planes = ['A', 'B'].slice(0, plan.planes).map((name) => new Plane(name, around))
  }

  /** Every request to give back nodes on which somebody lived, with how its run stood then. */
  readonly givenBack: ReturnedNodes[] = []

  async #cancelJob(key: string): ReturnType<Executor['cancel']> {
    const living = this.jobs.livingNodes(key)
    const [run = ''] = key.split('.')
    if (living.length > 0) {
      const query = this.database
        .selectFrom('runs')
        .leftJoin('attempts', (join) => join.onRef('attempts.run_id', '=', 'runs.id').onRef('attempts.number', '=', 'runs.attempt'))
      const found = await query.select(['runs.attempt', 'runs.desired', 'attempts.body']).where('runs.id', '=', run).executeTakeFirst()
      const excluded = found?.body?.excluded ?? []
      if (found?.desired === 'run' && !gaveUpGathering(found.body)) {
        const nodes = living.filter((node) => !excluded.includes(node))
        if (nodes.length > 0) this.givenBack.push({ run, key, attempt: found.attempt, nodes })
      }
    }
    return this.jobs.executor.cancel(key)
  }

  /** Until every run and every job has ended, or patience does. */
  async live(): Promise<void> {
    const { timeline, plan } = this
    for (const [index, { at_s }] of plan.runs.entries()) timeline.after(at_s, () => this.#create(index))
    for (const fault of plan.faults) if ('at_s' in fault) timeline.after(fault.at_s, () => this.#strike(fault))
    timeline.after(FAULTS_END_S, () => this.#repair())
    timeline.after(LOOK_EVERY_S, () => void this.#look())
    while (!this.#isOver() && timeline.passed_s < FAULTS_END_S + PATIENCE_S) await this.#advance()
    for (const { process } of this.#planes) await this.#effects.kill(process)
    await this.#asked
  }

  async #advance(): Promise<void> {
    const { timeline } = this
    await this.#asked
    if (timeline.runNext()) {
      this.jobs.start()
      await settled()
      return
    }
    const stalled = this.#planes.filter(({ stalledUntil }) => timeline.now < stalledUntil)
    const able = this.#effects.waiting.filter(({ process }) => !stalled.some((plane) => plane.process === process))
    const one = able[timeline.random.below(able.length)]
    if (!one) {
      timeline.now = Math.min(timeline.nextAt, ...stalled.map(({ stalledUntil }) => stalledUntil))
      return
    }
    this.effectCount += 1
    timeline.now += EFFECT_S
    if (this.#hangs(one.process)) return
    const verdict = this.#fate(this.effectCount)
    timeline.addToTrace(`#${this.effectCount} ${one.process.name}: ${one.what}${verdict === 'go' ? '' : `, ${verdict}`}`)
    await this.#effects.release(one, verdict)
    const died = one.process.dead && this.#planes.find(({ process }) => process === one.process)
    if (died) died.restart(timeline.between(0.5, 15))
    if (one.what !== 'database') this.jobs.start()
  }

  #hangs(process: Process): boolean {
    const fault = this.plan.faults.find((each) => each.kind === 'hangs-before' && each.number === this.effectCount)
    const plane = this.#planes.find((each) => each.process === process)
    if (fault?.kind !== 'hangs-before' || !plane || this.timeline.passed_s >= FAULTS_END_S) return false
    this.timeline.addToTrace(`#${this.effectCount} ${process.name}: hangs for ${fault.for_s} s`)
    plane.stall(fault.for_s)
    return true
  }

  #fate(number: number): Verdict {
    const fault = this.plan.faults.find((each) => each.kind === 'effect' && each.number === number)
    return fault?.kind === 'effect' && this.timeline.passed_s < FAULTS_END_S ? fault.verdict : 'go'
  }

  #isOver(): boolean {
    const isQuiet = this.#effects.waiting.length === 0 && this.jobs.late === 0
    return isQuiet && this.#live === 0 && [...this.fleet.jobs().values()].every(({ state }) => state === 'ended')
  }

  /** What the world itself asks the database, one after another and before anything else happens. */
  #asked: Promise<void> = Promise.resolve()

  async #look(): Promise<void> {
    this.timeline.after(LOOK_EVERY_S, () => void this.#look())
    if (this.#created < this.runs.length) return
    const leases = this.database.selectFrom('leases').select('run_id').where('run_id', 'in', this.runs)
    const releases = this.database.selectFrom('releases').select('run_id').where('run_id', 'in', this.runs)
    this.#asked = leases
      .unionAll(releases)
      .execute()
      .then(({ length }) => void (this.#live = length))
  }

  #create(index: number): void {
    const [id, plan] = [this.runs[index] ?? '', this.plan.runs[index]]
    if (!plan) return
    const { nodes, processesPerNode, smaller, spares, isChecked } = plan
    const shape = { nodes, processesPerNode, smaller, spares, ...(isChecked && { check: { share: 0.6 } }) }
    const spec = { shape, predicted_step_s: 1, checkpoint_every_s: 60 }
    const program = { argv: ['train.py'], directory: '/', environment: {} }
    const event = { kind: 'run-created', actor: 'ada', at: this.timeline.now, body: {} }
    this.timeline.addToTrace(`${id} is wanted`)
    const wanted = { id, name: id, project: 'p', plan: { id: 'plan', kind: 'TrainingPlan', body: {} }, spec, program }
    this.#asked = this.#asked.then(() => createRun(this.database, wanted, event)).then(() => void (this.#created += 1))
  }

  #strike(fault: TimedFault): void {
    const { timeline } = this
    timeline.addToTrace(`FAULT ${JSON.stringify(fault)}`)
    switch (fault.kind) {
      case 'node-dies':
        this.jobs.kill(fault.node)
        return timeline.after(fault.for_s, () => this.jobs.restore(fault.node))
      case 'node-hangs':
        this.jobs.hang(fault.node)
        return timeline.after(fault.for_s, () => this.jobs.restore(fault.node))
      case 'rank-dies':
        return this.jobs.killRank(this.runs[fault.run])
      case 'cancel':
        return this.#cancel(this.runs[fault.run] ?? '')
      case 'executor-away':
        this.fleet.cutOff('the cable is out')
        return timeline.after(fault.for_s, () => this.fleet.cutOff(undefined))
      case 'api-away':
        this.#apiAwayUntil = timeline.now + fault.for_s
        return undefined
      case 'storage-away':
      case 'storage-full':
        return this.#storage.strike(fault.kind, fault.for_s)
      case 'plane-stalls':
      case 'plane-dies':
      case 'clock-jumps':
        return this.#strikePlane(fault)
    }
  }

  #strikePlane(fault: Extract<TimedFault, { readonly plane: number }>): void {
    const plane = this.#planes[fault.plane]
    if (!plane) return
    switch (fault.kind) {
      case 'plane-stalls':
        return plane.stall(fault.for_s)
      case 'plane-dies':
        void this.#effects.kill(plane.process)
        return plane.restart(fault.for_s)
      case 'clock-jumps':
        return plane.jump(fault.by_s)
    }
  }

  #repair(): void {
    this.timeline.addToTrace('everything is repaired')
    this.fleet.cutOff(undefined)
    this.#apiAwayUntil = 0
    this.#storage.reset()
    for (const plane of this.#planes) plane.repair()
    for (const node of this.plan.nodes) this.jobs.restore(node)
    const fleet = { cluster: this.cluster, executor: this.fleet.executor }
    for (const name of this.jobs.drained) this.#insist((database, at) => undrain(database, fleet, { name, actor: 'ada', at }))
  }

  #cancel(run_id: string): void {
    this.#insist((database, at) =>
      setDesired(database, { run_id, desired: 'cancel' }, { kind: 'cancel-asked', actor: 'ada', at, body: {} }),
    )
  }

  /** What a person asks of the API, until it is done. */
  #insist(work: (database: Database, at: number) => Promise<unknown>): void {
    const plane = this.#planes.find(({ isUp }) => isUp)
    const again = (): void => this.timeline.after(RETRY_S, () => this.#insist(work))
    if (plane && this.timeline.now >= this.#apiAwayUntil) work(plane.ports.database, plane.ports.now()).catch(again)
    else again()
  }
}

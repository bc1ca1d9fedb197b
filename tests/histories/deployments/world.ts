// One history: control planes and gateways with production code, one database, one simulated fleet with its engines, people, and the faults
// of a plan. What the plan does not say is drawn from its seed, so the same plan is the same history.

import { setImmediate as settled } from 'node:timers/promises'
import { isRolling } from '@ironlaw/contracts'
import { type SimulatedFleet, simulatedFleet } from '@ironlaw/executors/simulated'
import type { Database, Deployment } from '@ironlaw/store'
import { Effects, type Process, type Verdict } from '../../../packages/effects/control/test/effects.ts'
import { type Connection, simulatedDatabase } from '../../../packages/effects/control/test/simulated-database.ts'
import { FailoverConnection } from '../failover.ts'
import { Timeline } from '../timeline.ts'
import { Engines } from './engines.ts'
import { forgery } from './forgeries.ts'
import { GatewayProcess, KEYS, MODEL, REVOCABLE } from './gateway-process.ts'
import { LedgerOfBudgets } from './ledger-of-budgets.ts'
import { Observer } from './observer.ts'
import type { Parts } from './parts.ts'
import { BUDGET, People } from './people.ts'
import { FAULTS_END_S, type Plan, type TimedFault } from './plan.ts'
import { Plane } from './plane.ts'
import { Witness } from './witness.ts'

/** From the end of the faults until everything must be as desired: two leases, a drain and a back-off. */
const PATIENCE_S = 180
/** After something went wrong a lease may have to run out before a control plane acts. */
const LEASE_S = 32
const EFFECT_S = 0.01
const LATE_S = 6
/** An unanswered call ends after this. */
const LIMIT_S = 10
const RETRY_S = 2
const LOOK_S = 2

export type WorldOptions = { readonly parts: Parts; readonly isTraced: boolean }

export class World {
  readonly plan: Plan
  readonly timeline: Timeline
  readonly fleet: SimulatedFleet
  readonly engines: Engines
  readonly witness: Witness
  readonly ledger: LedgerOfBudgets
  readonly gateways: readonly GatewayProcess[]
  /** Past all faults. */
  readonly connection: Connection
  readonly database: Database
  readonly observer: Observer
  effectCount = 0
  readonly #parts: Parts
  readonly #failover: FailoverConnection
  readonly #effects: Effects
  readonly #planes: readonly Plane[]
  readonly #people: People
  readonly #away = { api: 0, books: 0 }
  #troubleAt = 0
  #openedAt = 0
  #phase: 'living' | 'removing' | 'closing' | 'over' = 'living'
  /** What the world itself asks the database, one after another and before anything else happens. */
  #asked: Promise<unknown> = Promise.resolve()

  constructor(plan: Plan, connection: Connection, { parts, isTraced }: WorldOptions) {
    const timeline = new Timeline(plan.seed, isTraced)
    this.plan = plan
    this.#parts = parts
    this.timeline = timeline
    this.#troubleAt = timeline.now - LEASE_S
    this.#failover = new FailoverConnection(connection)
    this.connection = this.#failover
    this.database = simulatedDatabase(this.#failover)
    this.#effects = new Effects({
      overdue: () => new Promise((resolve) => timeline.after(LIMIT_S, resolve)),
      later: (act) => timeline.after(LATE_S, () => void this.ask(() => act().catch(() => undefined))),
    })
    this.fleet = simulatedFleet({
      nodes: plan.nodes,
      slots: plan.slots,
      now_s: () => timeline.now,
      script: () => undefined,
      detection_s: 12,
    })
    this.engines = new Engines({ timeline, fleet: this.fleet, plan })
    this.witness = new Witness({ timeline, engines: this.engines, calmSince: () => this.calmSince })
    this.observer = new Observer({ world: this })
    const effects = this.#effects
    const faulty = parts.connection(this.#failover)
    const executor = parts.executor(this.observer.watchExecutor(this.engines.executor))
    const around = { timeline, effects, connection: faulty, executor, engines: this.engines, isReady: parts.isReady(this.engines) }
    this.#planes = ['A', 'B'].slice(0, plan.planes).map((name) => new Plane(name, around))
    const api = (): Plane | undefined => (timeline.now < this.#away.api ? undefined : this.#planes.find(({ isUp }) => isUp))
    this.#people = new People({ timeline, plan, api })
    this.ledger = new LedgerOfBudgets({
      timeline,
      effects,
      connection: faulty,
      isAway: () => timeline.now < this.#away.books,
      books: parts.books,
    })
    this.gateways = ['g0', 'g1', 'g2'].slice(0, plan.gateways).map(
      (name) =>
        new GatewayProcess({
          name,
          timeline,
          effects,
          witness: this.witness,
          books: (process) => this.ledger.books(process),
          sync: (gateway, body) => this.#sync(gateway, body),
          died: (process) => this.#handleDeath(process),
          engine: (url) => this.#answerOf(url),
          filter: parts.filter(),
        }),
    )
  }

  get calmSince(): number {
    return this.#troubleAt + LEASE_S
  }

  /** Keys of the jobs that replicas stand for, as of the last look. */
  get alive(): ReadonlySet<string> {
    return this.observer.alive
  }

  row(): Promise<Deployment | undefined> {
    return this.database
      .selectFrom('deployments')
      .selectAll()
      .where('name', '=', MODEL)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
  }

  /** Until everything is as desired and all have left, or patience ends. */
  async live(): Promise<void> {
    const { timeline, plan } = this
    await this.#prepare()
    this.#people.deploy()
    this.#people.configure(KEYS)
    for (const [index, { at_s }] of plan.revisions.entries()) timeline.after(at_s, () => this.#people.revise(index))
    if (plan.revoked_at_s !== undefined)
      timeline.after(plan.revoked_at_s, () => this.#people.configure(KEYS.filter(([key]) => key !== REVOCABLE)))
    for (const fault of plan.faults) if ('at_s' in fault) timeline.after(fault.at_s, () => this.#strike(fault))
    timeline.after(FAULTS_END_S, () => this.#repair())
    timeline.after(LOOK_S, () => this.#look())
    while (this.#phase !== 'over' && timeline.passed_s < FAULTS_END_S + PATIENCE_S) await this.#advance()
    for (const { process } of this.#planes) await this.#effects.kill(process)
    for (const { process } of this.gateways) await this.#effects.kill(process)
    await this.#asked
    await this.#failover.keep()
    await this.observer.look()
    this.ledger.expire()
  }

  /** After a promotion was seen; refused where nothing served before by then. */
  returnLater(): void {
    const { back_after_s } = this.plan
    if (back_after_s !== undefined) this.timeline.after(back_after_s, () => this.#people.order('back'))
  }

  ask<T>(act: () => Promise<T>): Promise<T> {
    const answer = this.#asked.then(act)
    this.#asked = answer.catch(() => undefined)
    return answer
  }

  async #prepare(): Promise<void> {
    const { connection, plan } = this
    // What the history before left behind; triggers would keep it.
    await connection.query('set session_replication_role = replica', [])
    for (const table of ['replicas', 'revisions', 'deployments', 'gateway_leases', 'gateway_budgets'])
      await connection.query(`delete from ${table}`, [])
    await connection.query("delete from events where stream like 'deployment/%' or stream = 'gateways'", [])
    await connection.query('set session_replication_role = origin', [])
    await connection.query('delete from gateways', [])
    await connection.query(
      `update gateway_snapshot set config = '{"tenants":{},"keys":[]}', version = 0, body = '{}', digest = '', epoch = 'first', epoch_since_at = 0`,
      [],
    )
    await connection.query('insert into gateway_budgets (name, limit_nusd) values ($1, $2)', [BUDGET, plan.budget_nusd])
  }

  async #advance(): Promise<void> {
    const { timeline } = this
    await this.#asked
    if (timeline.runNext()) {
      this.engines.start()
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
    await this.#failOver()
    if (this.#hangs(one.process)) return
    const verdict = this.#fate(this.effectCount)
    if (verdict !== 'go') this.#noteTrouble()
    timeline.addToTrace(`#${this.effectCount} ${one.process.name}: ${one.what}${verdict === 'go' ? '' : `, ${verdict}`}`)
    await this.#effects.release(one, verdict)
    if (one.process.dead) this.#handleDeath(one.process)
    if (one.what !== 'database') this.engines.start()
  }

  #noteTrouble(until = 0): void {
    this.#troubleAt = Math.max(this.#troubleAt, this.timeline.now, until)
  }

  #handleDeath(process: Process): void {
    const died = [...this.#planes, ...this.gateways].find((each) => each.process === process)
    if (died instanceof GatewayProcess) this.#abandonBudgets(died)
    died?.restart(this.timeline.between(0.5, 8))
  }

  #abandonBudgets(gateway: GatewayProcess): void {
    gateway.budgets?.abandon()
    this.ledger.loseHoldings(gateway.process)
  }

  /** What was committed since the window opened is lost. */
  async #failOver(): Promise<void> {
    const { timeline, effectCount } = this
    for (const fault of this.plan.faults) {
      if (fault.kind !== 'failover') continue
      if (effectCount === fault.number - fault.lost && timeline.passed_s < FAULTS_END_S) {
        await this.#failover.begin()
        this.#openedAt = timeline.now
      }
      if (effectCount !== fault.number || !(await this.#failover.lose())) continue
      timeline.addToTrace(`FAULT the database loses what was committed in the last ${(timeline.now - this.#openedAt).toFixed(2)} s`)
      this.#noteTrouble()
      this.ledger.forget(this.#openedAt)
      this.observer.forget()
    }
  }

  #hangs(process: Process): boolean {
    const fault = this.plan.faults.find((each) => each.kind === 'hangs-before' && each.number === this.effectCount)
    const plane = this.#planes.find((each) => each.process === process)
    if (fault?.kind !== 'hangs-before' || !plane || this.timeline.passed_s >= FAULTS_END_S) return false
    this.timeline.addToTrace(`#${this.effectCount} ${process.name}: hangs for ${fault.for_s} s`)
    plane.stall(fault.for_s)
    this.#noteTrouble(plane.stalledUntil)
    return true
  }

  #fate(number: number): Verdict {
    const fault = this.plan.faults.find((each) => each.kind === 'effect' && each.number === number)
    return fault?.kind === 'effect' && this.timeline.passed_s < FAULTS_END_S ? fault.verdict : 'go'
  }

  #look(): void {
    if (this.#phase === 'over') return
    void this.ask(async () => {
      const row = await this.observer.look()
      const { tamper } = this.#parts
      if (tamper) await tamper(this.connection)
      if (this.timeline.passed_s < FAULTS_END_S) return
      if (isRolling(row?.rollout)) this.#people.decide(this.witness.facts.builds.get(row?.rollout?.revision ?? 0) ?? 0)
      else if (this.#phase === 'living' && this.observer.isSettled(this.gateways)) this.#removeAll()
      else if (this.#phase === 'removing' && row?.state === 'removed' && this.alive.size === 0) this.#close()
    })
    this.timeline.after(LOOK_S, () => this.#look())
  }

  #removeAll(): void {
    if (!this.plan.isRemoved) return this.#close()
    this.#phase = 'removing'
    this.#people.remove()
  }

  #close(): void {
    this.#phase = 'closing'
    this.timeline.addToTrace('all leave')
    // Or something would be decided that gateways do not learn any more.
    for (const { process } of this.#planes) void this.#effects.kill(process)
    void Promise.all(this.gateways.map((gateway) => gateway.close())).then(() => (this.#phase = 'over'))
  }

  #strike(fault: TimedFault): void {
    const { timeline } = this
    timeline.addToTrace(`FAULT ${JSON.stringify(fault)}`)
    this.#noteTrouble('for_s' in fault ? timeline.now + fault.for_s : 0)
    switch (fault.kind) {
      case 'node-dies':
        this.engines.kill(fault.node)
        return timeline.after(fault.for_s, () => this.engines.restore(fault.node))
      case 'node-hangs':
        this.engines.hang(fault.node)
        return timeline.after(fault.for_s, () => this.engines.restore(fault.node))
      case 'executor-away':
        this.fleet.cutOff('the cable is out')
        return timeline.after(fault.for_s, () => this.fleet.cutOff(undefined))
      case 'api-away':
      case 'books-away':
        this.#away[fault.kind === 'api-away' ? 'api' : 'books'] = timeline.now + fault.for_s
        return undefined
      case 'storage':
        this.engines.storage = fault.how
        return timeline.after(fault.for_s, () => void (this.engines.storage = 'well'))
      case 'hostile-sync':
        return this.#sendForgery(fault.forgery)
      case 'order':
        return this.#people.order(fault.what)
      case 'plane-stalls':
      case 'plane-dies':
      case 'clock-jumps':
        return this.#strikePlane(fault)
      case 'gateway-dies':
      case 'gateway-cut-off':
      case 'gateway-disk':
        return this.#strikeGateway(fault)
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
        // It stays wrong until the faults end, and what it dated ahead is waited for.
        this.#noteTrouble(FAULTS_END_S + Math.min(90, Math.max(0, fault.by_s)) + this.timeline.now - this.timeline.passed_s)
        return plane.jump(fault.by_s)
    }
  }

  #strikeGateway(fault: Extract<TimedFault, { readonly gateway: number }>): void {
    const { timeline } = this
    const gateway = this.gateways[fault.gateway]
    if (!gateway) return
    switch (fault.kind) {
      case 'gateway-dies':
        if (!gateway.isUp) return
        void this.#effects.kill(gateway.process)
        this.#abandonBudgets(gateway)
        return gateway.restart(fault.for_s)
      case 'gateway-cut-off':
        gateway.isCutOff = true
        return timeline.after(fault.for_s, () => void (gateway.isCutOff = false))
      case 'gateway-disk':
        gateway.disk = fault.how
        return timeline.after(fault.for_s, () => void (gateway.disk = 'well'))
    }
  }

  #repair(): void {
    const { timeline, engines, plan } = this
    timeline.addToTrace('everything is repaired')
    this.fleet.cutOff(undefined)
    this.#away.api = 0
    this.#away.books = 0
    engines.storage = 'well'
    for (const plane of this.#planes) plane.repair()
    for (const gateway of this.gateways) {
      gateway.disk = 'well'
      gateway.isCutOff = false
    }
    for (const node of plan.nodes) engines.restore(node)
  }

  /** Again and again until the faults end. */
  #sendForgery(number: number): void {
    const { timeline, observer } = this
    if (timeline.passed_s >= FAULTS_END_S) return
    this.#noteTrouble()
    const pools = [...this.witness.facts.builds.keys()].flatMap((revision) => [`${MODEL}@${revision}`, `${MODEL}@${revision}-control`])
    const body = forgery(number, { boot: `evil-${observer.looks}`, pools, replicas: [...this.alive] })
    void this.#sync('evil', body).catch(() => undefined)
    timeline.after(RETRY_S, () => this.#sendForgery(number))
  }

  #answerOf(url: string): 'answers' | 'fails' {
    const engine = this.engines.byUrl(url)
    return engine && this.engines.isReady(engine) && engine.behaviour !== 'failing' ? 'answers' : 'fails'
  }

  async #sync(gateway: string, body: string): ReturnType<Plane['answerSync']> {
    const up = this.timeline.now < this.#away.api ? [] : this.#planes.filter(({ isUp }) => isUp)
    const plane = up[this.timeline.random.below(Math.max(1, up.length))]
    if (!plane) throw new Error('connection refused')
    return plane.answerSync(gateway, body)
  }
}

// A deployment under traffic, from the first arrival to the last end. Events are steps of replicas, deliveries of keys, looks of the
// autoscaler, failures and starts; arrivals are already in order and stay outside the queue.

import { newScaleMemory, decideScale } from '@ironlaw/policies/serving'
import { EventQueue } from '../kernel/event-queue.ts'
import { RandomStream } from '../kernel/random-stream.ts'
import type { Arrivals } from './arrivals.ts'
import type { ClusterRule } from './cluster-rule.ts'
import { SimulatedGateway } from './simulated-gateway.ts'
import { type FinishedRequest, Measures, type ServingOutcome } from './outcome.ts'
import { SimulatedReplica, STEP } from './simulated-replica.ts'
import { ReplicaPool } from './replica-pool.ts'
import type { ReplicaRule } from './replica-rule.ts'
import type { StepLoad } from './step-cost.ts'
import { newArrivingRequest, RequestTable, SENT } from './request-table.ts'

const DELIVERY = 1
const LOOK = 2
const FAILURE = 3
const READY = 4

export type ServingRunOptions = {
  readonly seed: number
  /** The list that the arrivals' prefix hashes lie in. */
  readonly hashes?: Int32Array
  readonly each?: (finished: Readonly<FinishedRequest>) => void
  /** Told at each look of the autoscaler how many replicas are to be ready or starting. */
  readonly looked?: (at_s: number, replicas: number) => void
}

export const simulateServing = (rule: ClusterRule, arrivals: Arrivals, sample: ServingRunOptions): ServingOutcome =>
  new ServingRun(rule, arrivals, sample).outcome()

type Life = 'off' | 'starting' | 'ready' | 'draining' | 'down'

type Seat = { readonly pool: ReplicaPool; readonly first: number; readonly lanes: number; readonly place: number }

/**
 * Whether only the router and the next request look at a replica. Then its steps are taken when they do: no event for each, and what
 * it holds comes into the processor's cache once for all of them, without which a request over 1,024 replicas cost twice one over one.
 */
const isUnwatched = (rule: ClusterRule): boolean =>
  !rule.sharing && !rule.prefill && !rule.admission && !rule.tenants && !rule.autoscale && !rule.failure

class ServingRun {
  private readonly rule: ClusterRule
  private readonly arrivals: Arrivals
  private readonly sample: ServingRunOptions
  private readonly events = new EventQueue()
  private readonly table = new RequestTable()
  private readonly measures: Measures
  private readonly gateway: SimulatedGateway
  /** The lanes of all: of those that take requests first, then of those that only decode for them; lanes of one stand together. */
  private readonly replicas: SimulatedReplica[] = []
  private readonly lives: Life[] = []
  private readonly since: number[] = []
  private readonly starts: number[] = []
  /** When a port of each replica can send again, and one of those that decode can receive. */
  private readonly sendFree: number[] = []
  private receiveFree = 0
  private readonly entry: ReplicaPool
  private readonly decode: ReplicaPool
  /** Requests that no replica was ready for. */
  private readonly parked: number[] = []
  private readonly failures: RandomStream
  private readonly memory = newScaleMemory(0)
  private arrivingTokens = 0
  private lane_s = 0
  private replica_s = 0
  private readonly unwatched: boolean
  now = 0

  constructor(rule: ClusterRule, arrivals: Arrivals, sample: ServingRunOptions) {
    this.rule = rule
    this.arrivals = arrivals
    this.sample = sample
    this.measures = new Measures(rule, sample.each)
    this.gateway = new SimulatedGateway(rule, this.table)
    this.unwatched = isUnwatched(rule)
    this.failures = new RandomStream([sample.seed, 11])
    const room = Math.max(rule.replicas, rule.autoscale?.rule.max ?? 0)
    const main = { rule: this.withSharing(rule.replica), ready: rule.replicas, room }
    this.decode = this.pool(main.rule, 12)
    this.entry = rule.prefill ? this.pool(rule.prefill.replica, 13) : this.decode
    if (rule.prefill) this.fill(this.entry, { rule: rule.prefill.replica, ready: rule.prefill.replicas, room: rule.prefill.replicas })
    this.fill(this.decode, main)
    if (rule.autoscale) this.events.push(rule.autoscale.every_s, LOOK, { entity: 0, tag: 0 })
  }

  outcome(): ServingOutcome {
    const { events, table } = this
    const next = newArrivingRequest()
    let more = this.arrivals(next)
    for (;;) {
      if (more && next.at <= events.nextTime) {
        this.now = next.at
        this.arrive(table.take(next))
        more = this.arrivals(next)
      } else if (more || table.inFlight > 0) {
        if (!events.take()) break
        this.now = events.time
        this.handleEvent(events.kind, events.entity, events.tag)
      } else break
    }
    for (const replica of this.replicas) replica.catchUp(Infinity)
    this.now = Math.max(this.now, this.measures.last)
    this.lives.forEach((life, index) => this.count(index, life))
    return this.measures.outcome(this.replicas, { lane_s: this.lane_s, replica_s: this.replica_s })
  }

  private handleEvent(kind: number, entity: number, tag: number): void {
    switch (kind) {
      case STEP: {
        const replica = this.replicas[entity]!
        if (replica.version === tag) {
          replica.advance(this.now)
          if (this.lives[entity] === 'draining' && this.runningIn(entity) === 0) this.setLife(entity, 'off')
        }
        return
      }
      case DELIVERY:
        // The decode replica answers the client, so the first token leaves when the keys are there.
        this.table.firstToken[entity] = this.now
        this.dispatch(entity, this.decode)
        return
      case LOOK:
        this.look()
        return
      case FAILURE:
        // Those that were stopped meanwhile do not fail.
        if (this.starts[entity] === tag && this.lives[entity] === 'ready') this.fail(entity)
        return
      case READY:
        if (this.lives[entity] === 'starting' || this.lives[entity] === 'down') this.setLife(entity, 'ready')
    }
  }

  /** Replicas with requests step, including the one that is about to. Runs of steps would keep the factor of their first. */
  private withSharing(rule: ReplicaRule): ReplicaRule {
    const { sharing } = this.rule
    if (!sharing) return rule
    const cost = (load: Readonly<StepLoad>): number => {
      const busy = this.replicas.reduce((count, replica) => count + (replica.running > 0 ? 1 : 0), 0)
      return rule.cost(load) * (sharing[Math.min(Math.max(1, busy), sharing.length) - 1] ?? 1)
    }
    return { ...rule, cost, longestRun: 1 }
  }

  private pool(rule: ReplicaRule, purpose: number): ReplicaPool {
    const random = new RandomStream([this.sample.seed, purpose])
    return new ReplicaPool({ rule, router: this.rule.router, table: this.table, random, hashes: this.sample.hashes ?? new Int32Array(0) })
  }

  private fill(
    pool: ReplicaPool,
    { rule, ready, room }: { readonly rule: ReplicaRule; readonly ready: number; readonly room: number },
  ): void {
    const { table, sample } = this
    const events = this.unwatched ? undefined : this.events
    const listener = {
      firstToken: (slot: number, now: number) => {
        table.firstToken[slot] = now
      },
      ended: (slot: number, now: number) => this.endRequest(slot, now),
    }
    const { lanes = 1 } = rule
    for (let each = 0; each < room * lanes; each += 1) {
      const index = this.replicas.length
      const random = new RandomStream([sample.seed, 14, index])
      const shared = { table, events, listener, clock: this, hashes: sample.hashes ?? new Int32Array(0) }
      const replica = new SimulatedReplica(rule, { ...shared, index, random, speed: pool.speed })
      this.replicas.push(replica)
      pool.add(replica)
      this.lives.push('off')
      this.since.push(0)
      this.starts.push(0)
      this.sendFree.push(0)
    }
    const first = this.replicas.length - room * lanes
    for (let each = 0; each < ready; each += 1) this.setLife(first + each * lanes, 'ready')
  }

  /** Where a lane stands: the first of its replica, among how many, and in which pool from which place on. */
  private seatOf(index: number): Seat {
    const entries = this.rule.prefill ? this.entry.replicas.length : 0
    const pool = index < entries ? this.entry : this.decode
    const from = index < entries ? 0 : entries
    const lanes = (pool === this.entry && this.rule.prefill ? this.rule.prefill.replica.lanes : this.rule.replica.lanes) ?? 1
    const first = index - ((index - from) % lanes)
    return { pool, first, lanes, place: first - from }
  }

  /** Requests of the whole replica. */
  private runningIn(index: number): number {
    const { first, lanes } = this.seatOf(index)
    let running = 0
    for (let lane = first; lane < first + lanes; lane += 1) running += this.replicas[lane]!.running
    return running
  }

  /** Time of replicas that are there, whatever they do. */
  private count(index: number, life: Life): void {
    if (life === 'off') return
    const { lanes } = this.seatOf(index)
    this.lane_s += this.now - this.since[index]!
    this.replica_s += (this.now - this.since[index]!) / lanes
  }

  /** The replica of this lane, with all lanes. */
  private setLife(index: number, life: Life): void {
    const { pool, first, lanes, place } = this.seatOf(index)
    const { failure } = this.rule
    for (let lane = 0; lane < lanes; lane += 1) {
      this.count(first + lane, this.lives[first + lane]!)
      this.lives[first + lane] = life
      this.since[first + lane] = this.now
      pool.replicas[place + lane]!.ready = life === 'ready'
    }
    if (life !== 'ready') return
    const tag = this.starts[first]! + 1
    this.starts[first] = tag
    if (failure) this.events.push(this.now + failure.mtbf_s * this.failures.exponential(), FAILURE, { entity: first, tag })
    const waiting = this.parked.splice(0)
    for (const slot of waiting) this.dispatch(slot, this.table.resident[slot] === SENT ? this.decode : this.entry)
    this.startWaiting()
  }

  private arrive(slot: number): void {
    const { table, measures, gateway, entry } = this
    measures.arrive(this.now)
    const prompt = table.prompt[slot]!
    const output = table.output[slot]!
    this.arrivingTokens += prompt + output
    if (!this.decode.replicas[0]!.takes(slot) || !entry.replicas[0]!.takes(slot)) {
      this.refuse(slot, 'too-long')
      return
    }
    const service_s = prompt * entry.speed.prefill_s_per_token + output * this.decode.speed.step_s
    const verdict = gateway.offer(slot, { now: this.now, replicas: this.rule.admission ? this.entriesReady() : 1, service_s })
    if (verdict === 'start') this.dispatch(slot, entry)
    else if (verdict !== 'queue') this.refuse(slot, verdict)
  }

  private refuse(slot: number, why: keyof Measures['refused']): void {
    this.measures.refused[why] += 1
    this.table.giveBack(slot)
  }

  private dispatch(slot: number, pool: ReplicaPool): void {
    const replica = pool.route(slot)
    if (replica) replica.enqueue(slot, this.now)
    else this.parked.push(slot)
  }

  private endRequest(slot: number, now: number): void {
    const { table } = this
    if (table.generated[slot]! < table.output[slot]!) {
      this.handOver(slot)
      return
    }
    this.measures.recordFinished(table, slot, now)
    this.finish(slot)
  }

  private finish(slot: number): void {
    this.gateway.end(slot, this.now)
    this.table.giveBack(slot)
    this.startWaiting()
  }

  private startWaiting(): void {
    if (!this.rule.admission || this.gateway.queued === 0) return
    const ready = this.entriesReady()
    for (let slot = this.gateway.next(ready); slot !== undefined; slot = this.gateway.next(ready)) this.dispatch(slot, this.entry)
  }

  private entriesReady(): number {
    return this.entry.ready / this.seatOf(0).lanes
  }

  /** Its keys go to a decode replica, behind those that leave the same prefill replica and those that the decode replicas receive. */
  private handOver(slot: number): void {
    const { table, sendFree, now } = this
    const { transfer } = this.rule.prefill ?? {}
    if (!transfer) throw new Error('a prefill replica has no way to a decode replica')
    const { send, receive, latency_s } = transfer
    const { first } = this.seatOf(table.replica[slot]!)
    const prompt = table.prompt[slot]!
    const [out_s, in_s] = [send.time_s(prompt), receive.time_s(prompt)]
    const [out, into] = [Math.max(now, sendFree[first]!), Math.max(now, this.receiveFree)]
    sendFree[first] = out + out_s / send.ports
    this.receiveFree = into + in_s / (receive.ports * this.rule.replicas)
    table.resident[slot] = SENT
    this.events.push(Math.max(out + out_s, into + in_s) + latency_s, DELIVERY, { entity: slot, tag: 0 })
  }

  private fail(index: number): void {
    const { table } = this
    const { pool, first, lanes, place } = this.seatOf(index)
    const lost: number[] = []
    this.setLife(index, 'down')
    for (let lane = 0; lane < lanes; lane += 1) {
      this.replicas[first + lane]!.fail((slot) => lost.push(slot))
      pool.forget(place + lane)
    }
    this.events.push(this.now + (this.rule.failure?.repair_s ?? 0), READY, { entity: index, tag: 0 })
    // A gateway tries again only before the first byte went out.
    for (const slot of lost)
      if (Number.isNaN(table.firstToken[slot]!)) {
        this.measures.retried += 1
        this.dispatch(slot, this.entry)
      } else {
        this.measures.failed += 1
        this.finish(slot)
      }
  }

  private look(): void {
    const { autoscale } = this.rule
    if (!autoscale) return
    const { decode, lives } = this
    const { lanes = 1 } = this.rule.replica
    const first = this.replicas.length - decode.replicas.length
    let replicas = 0
    let running = this.parked.length
    let queuedTokens = this.gateway.queuedTokens
    decode.replicas.forEach((replica, place) => {
      const life = lives[first + place]!
      if (place % lanes === 0 && (life === 'ready' || life === 'starting')) replicas += 1
      running += replica.running
      queuedTokens += replica.prefillTokens
    })
    const arriving = this.arrivingTokens / autoscale.every_s
    this.arrivingTokens = 0
    const seen = { now: this.now, replicas, arriving, queuedTokens, running }
    const decision = autoscale.policy?.(seen) ?? decideScale(autoscale.rule, seen, this.memory)
    this.sample.looked?.(this.now, decision.replicas)
    for (let more = decision.replicas - replicas; more > 0; more -= 1) this.startOne(first)
    for (let fewer = replicas - decision.replicas; fewer > 0; fewer -= 1) this.stopOne(first)
    this.events.push(this.now + autoscale.every_s, LOOK, { entity: 0, tag: 0 })
  }

  /** One that drains is kept, for it is warm. */
  private startOne(first: number): void {
    const draining = this.lives.indexOf('draining', first)
    if (draining !== -1) {
      this.setLife(draining, 'ready')
      return
    }
    const off = this.lives.indexOf('off', first)
    if (off === -1) return
    this.setLife(off, 'starting')
    this.events.push(this.now + (this.rule.autoscale?.rule.coldStart_s ?? 0), READY, { entity: off, tag: 0 })
  }

  private stopOne(first: number): void {
    const { lanes = 1 } = this.rule.replica
    let least = -1
    for (let index = first; index < this.replicas.length; index += lanes)
      if (this.lives[index] === 'ready' && (least === -1 || this.runningIn(index) < this.runningIn(least))) least = index
    if (least !== -1) this.setLife(least, this.runningIn(least) === 0 ? 'off' : 'draining')
  }
}

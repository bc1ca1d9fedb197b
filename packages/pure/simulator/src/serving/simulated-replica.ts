// One replica: its queue, its batch, its blocks. A step advances every decoding request by the same count, so nothing is kept per request
// and step: ends lie in a heap, needs for blocks on a wheel, and the sum of contexts is one number. What an event costs grows with the
// logarithm of the batch.

import type { ReplicaSpeed } from '@ironlaw/policies/serving'
import type { EventQueue } from '../kernel/event-queue.ts'
import type { RandomStream } from '../kernel/random-stream.ts'
import { AdapterSlots } from './adapter-slots.ts'
import { BlockPool } from './block-pool.ts'
import { BlockWheel } from './block-wheel.ts'
import { DecodeRun } from './decode-run.ts'
import { EndHeap } from './end-heap.ts'
import { type Places, placesOf } from './places.ts'
import { prefixCacheOf } from './prefix-cache.ts'
import type { ReplicaRule } from './replica-rule.ts'
import { type RequestTable, SWAPPED } from './request-table.ts'
import { type Clock, SeenLoad } from './seen-load.ts'
import { NONE, SlotList } from './slot-list.ts'
import { meanGain, stepsFor } from './speculation.ts'
import { emptyLoad } from './step-cost.ts'

/** Kind of its events. */
export const STEP = 0

/** Callbacks. */
type ReplicaListener = {
  readonly firstToken: (slot: number, now: number) => void
  /** The slot may be given back. */
  readonly ended: (slot: number, now: number) => void
}

export type ReplicaParts = {
  readonly index: number
  readonly table: RequestTable
  /** Receives the end of each step; when left out, steps are computed on demand. */
  readonly events: EventQueue | undefined
  readonly clock: Clock
  readonly listener: ReplicaListener
  readonly random: RandomStream
  readonly hashes: Int32Array
  readonly speed: ReplicaSpeed
}

export class SimulatedReplica extends SeenLoad {
  readonly rule: ReplicaRule
  readonly index: number
  preemptions = 0
  /** Prompt tokens computed, those computed again included, and found in the cache. */
  prefilled = 0
  found = 0
  /** Output tokens made here. */
  decoded = 0
  busy_s = 0
  /** Events of this replica that carry another version are void. */
  version = 0
  steps = 0

  private readonly events: EventQueue | undefined
  private readonly listener: ReplicaListener
  private readonly random: RandomStream
  private readonly table: RequestTable
  private readonly waiting: SlotList
  private readonly prefilling: SlotList
  private readonly decoding: SlotList
  private readonly ends: EndHeap
  private readonly wheel: BlockWheel
  private readonly pool: BlockPool
  private readonly places: Places | undefined
  private readonly adapters: AdapterSlots | undefined
  private readonly run = new DecodeRun()
  private readonly load = emptyLoad()
  /** Tokens that a decoding request gains and checks per step. */
  private readonly gain: number
  private readonly checked: number
  private keys = 0
  /** Prompt tokens of admitted requests still to compute. */
  private pending = 0
  /** Seconds that swapping and adapters add to the step about to start. */
  private extra_s = 0

  constructor(rule: ReplicaRule, parts: ReplicaParts) {
    super(parts.speed, parts.clock)
    const { table } = parts
    this.rule = rule
    this.events = parts.events
    this.listener = parts.listener
    this.random = parts.random
    this.index = parts.index
    this.table = table
    this.waiting = new SlotList(table)
    this.prefilling = new SlotList(table)
    this.decoding = new SlotList(table)
    this.ends = new EndHeap(table)
    this.gain = rule.speculation ? meanGain(rule.speculation) : 1
    this.checked = 1 + (rule.speculation?.drafted ?? 0)
    this.wheel = new BlockWheel(Math.max(1, Math.floor(rule.blockTokens / this.gain)))
    this.pool = new BlockPool(rule.blocks, prefixCacheOf(rule, parts.hashes))
    this.places = placesOf(rule, parts.hashes)
    this.adapters = rule.adapters && new AdapterSlots(rule.adapters.slots)
  }

  private get batched(): number {
    return this.prefilling.length + this.decoding.length
  }

  /** Blocks of requests, whether shared or not; 0 when there are none. */
  get blocksInUse(): number {
    return this.pool.total - this.pool.available
  }

  /** Whether it could ever run here alone. */
  takes(slot: number): boolean {
    return Math.ceil((this.table.prompt[slot]! + this.table.output[slot]!) / this.rule.blockTokens) + 1 <= this.pool.total
  }

  enqueue(slot: number, now: number): void {
    const { table } = this
    this.catchUp(now)
    table.replica[slot] = this.index
    this.waiting.enqueue(slot)
    this.requests += 1
    this.toMake += table.output[slot]! - table.generated[slot]!
    this.context += table.prompt[slot]! + table.generated[slot]!
    if (table.resident[slot] === 0) this.toRead += table.prompt[slot]! + table.generated[slot]!
    if (this.run.steps === 0) this.begin(now)
    else if (this.batched < this.rule.sequencesMost && (this.waiting.first === slot || this.adapters) && this.run.cut(now)) this.arm()
  }

  /** Every step that ended before. */
  override catchUp(until: number): void {
    while (this.run.steps > 0 && this.run.end < until) this.advance(this.run.end)
  }

  /** The steps under way are done. */
  advance(now: number): void {
    this.settle(now)
    this.begin(now)
  }

  /** The replica is gone: its requests are returned, without their keys. */
  fail(lost: (slot: number) => void): void {
    this.version += 1
    // The step under way has its blocks already.
    if (this.run.steps > 0) this.pool.give(this.wheel.blocksAt(this.steps))
    this.run.steps = 0
    for (const list of [this.decoding, this.prefilling, this.waiting])
      while (list.first !== NONE) {
        const slot = list.first
        if (list === this.waiting) list.remove(slot)
        else this.leave(slot)
        this.table.resident[slot] = 0
        lost(slot)
      }
    this.seeNothing()
    this.pool.clear()
    this.places?.clear()
  }

  private arm(): void {
    this.version += 1
    this.events?.push(this.run.end, STEP, { entity: this.index, tag: this.version })
  }

  private settle(now: number): void {
    const { run, wheel, ends, table, decoding } = this
    const count = run.steps
    this.busy_s += now - run.start
    if (count > 1) this.pool.take(wheel.blocksOver(this.steps + 1, count - 1))
    this.steps += count
    const gained = decoding.length * this.gain * count
    this.keys += gained
    this.toMake -= gained
    this.context += gained
    while (ends.size > 0 && table.ends[ends.first]! <= this.steps) this.end(ends.first, now)
    let slot = this.prefilling.first
    while (slot !== NONE && table.computed[slot] === table.prompt[slot]! + table.generated[slot]!) {
      const next = table.next[slot]!
      this.prefillDone(slot, now)
      slot = next
    }
    run.steps = 0
  }

  private end(slot: number, now: number): void {
    const { table } = this
    this.leave(slot)
    this.requests -= 1
    this.context -= table.prompt[slot]! + table.generated[slot]!
    this.toMake -= table.output[slot]! - table.generated[slot]!
    this.listener.ended(slot, now)
  }

  private prefillDone(slot: number, now: number): void {
    const { table, pool } = this
    const { prefixes } = pool
    this.prefilling.remove(slot)
    this.toRead -= table.prompt[slot]! + table.generated[slot]! - table.found[slot]!
    this.toMake -= 1
    this.context += 1
    table.generated[slot]! += 1
    this.decoded += 1
    if (prefixes && table.hashCount[slot]! > 0) {
      const held = table.held[slot]!
      const whole = Math.floor(table.prompt[slot]! / (prefixes.blocksPerPart * this.rule.blockTokens))
      const kept = prefixes.keep(table.hashFirst[slot]!, { held, count: Math.min(whole, table.hashCount[slot]!) })
      table.held[slot] = kept
      table.blocks[slot]! -= (kept - held) * prefixes.blocksPerPart
    }
    this.join(slot)
    if (Number.isNaN(table.firstToken[slot]!)) this.listener.firstToken(slot, now)
    if (table.ends[slot]! <= this.steps) this.end(slot, now)
  }

  private join(slot: number): void {
    const { table, rule, wheel } = this
    const context = table.prompt[slot]! + table.generated[slot]! - 1
    const left = rule.role === 'prefill' ? 0 : table.output[slot]! - table.generated[slot]!
    const blocks = table.blocks[slot]! + table.held[slot]! * (this.pool.prefixes?.blocksPerPart ?? 0)
    const slack = blocks * rule.blockTokens - context
    const untilBlock = Math.min(wheel.period - 1, Math.floor(slack / this.gain))
    table.joined[slot] = this.steps
    table.ends[slot] = this.steps + (rule.speculation ? stepsFor(rule.speculation, left, this.random) : left)
    table.untilBlock[slot] = untilBlock
    wheel.add(this.steps, untilBlock)
    this.ends.push(slot)
    this.decoding.append(slot)
    this.keys += context
  }

  /** Out of the batch; its blocks go back, its tokens so far are counted. */
  private leave(slot: number): void {
    const { table, pool } = this
    if (table.place[slot] === NONE) {
      this.prefilling.remove(slot)
      this.pending -= table.prompt[slot]! + table.generated[slot]! - table.computed[slot]!
      pool.give(table.blocks[slot]!)
    } else this.leaveDecoding(slot)
    if (table.held[slot]! > 0) pool.prefixes?.release(table.hashFirst[slot]!, table.held[slot]!)
    table.held[slot] = 0
    table.computed[slot] = 0
    this.places?.free(slot)
    this.adapters?.release(table.adapter[slot]!)
  }

  private leaveDecoding(slot: number): void {
    const { table, wheel } = this
    const joined = table.joined[slot]!
    const done = this.steps - joined
    const untilBlock = table.untilBlock[slot]!
    this.keys -= table.prompt[slot]! + table.generated[slot]! - 1 + this.gain * done
    wheel.remove(joined, untilBlock)
    this.ends.remove(slot)
    this.decoding.remove(slot)
    this.pool.give(table.blocks[slot]! + wheel.blocksAfter(done, untilBlock))
    const steps = table.ends[slot]! - joined
    const made = steps === 0 ? 0 : Math.round(((table.output[slot]! - table.generated[slot]!) * done) / steps)
    table.generated[slot]! += made
    this.decoded += made
    this.toMake += this.gain * done - made
    this.context -= this.gain * done - made
  }

  private begin(now: number): void {
    const { rule, load, run, ends, table, decoding } = this
    this.extra_s = 0
    load.prefillSequences = load.prefillTokens = load.prefillPairs = 0
    const idle = this.batched === 0
    const preempted = this.makeRoom()
    if (rule.ahead && !idle) {
      this.takeChunks(now)
      if (!preempted) this.admit()
    } else {
      if (!preempted) this.admit()
      this.takeChunks(now)
    }
    if (this.batched === 0) return
    const growth = decoding.length * this.gain
    load.decodeSequences = decoding.length * this.checked
    load.decodeKeys = this.keys + growth
    const beside = rule.speculation ? rule.speculation.draft_s : 0
    const first = rule.cost(load) + beside + this.extra_s
    let steps = 1
    if (this.prefilling.length === 0 && !preempted && this.extra_s === 0) {
      const most = Math.min(rule.longestRun, table.ends[ends.first]! - this.steps)
      if (most > 1) steps += this.wheel.stepsCovered(this.steps + 1, { blocks: this.pool.available, most: most - 1 })
    }
    load.decodeKeys = this.keys + growth * steps
    const last = steps > 1 ? rule.cost(load) + beside : first
    run.begin(now, steps, { first, last })
    this.arm()
  }

  /** Blocks for this step of the decoding requests; the least urgent are preempted when there are too few. Returns whether one was. */
  private makeRoom(): boolean {
    const { wheel, pool } = this
    let preempted = false
    while (wheel.blocksAt(this.steps) > pool.available) {
      const { priority } = this.table
      let victim = this.prefilling.leastUrgent()
      const decoder = this.decoding.leastUrgent()
      if (victim === NONE || priority[decoder]! > priority[victim]!) victim = decoder
      this.preempt(victim)
      preempted = true
    }
    pool.take(wheel.blocksAt(this.steps))
    return preempted
  }

  private preempt(slot: number): void {
    const { table, rule } = this
    const decoding = table.place[slot] !== NONE
    const freeBefore = this.pool.free
    const before = table.computed[slot]!
    this.leave(slot)
    if (rule.preemption.by === 'swap' && decoding) {
      table.resident[slot] = SWAPPED
      this.extra_s += (this.pool.free - freeBefore) * rule.preemption.block_s
    } else {
      const target = table.prompt[slot]! + table.generated[slot]!
      this.toRead += decoding ? target : table.found[slot]!
      if (rule.preemption.by === 'recompute' && rule.preemption.keeps && table.hashCount[slot] === 0)
        this.pool.keep(slot, Math.floor((decoding ? target - 1 : before) / rule.blockTokens))
    }
    this.waiting.enqueueFirst(slot)
    this.preemptions += 1
  }

  /** Prompts, oldest first, as far as the step's tokens go. */
  private takeChunks(now: number): void {
    const { table, load } = this
    let room = this.rule.tokensPerStep - this.decoding.length * this.checked
    for (let slot = this.prefilling.first; slot !== NONE && room > 0; slot = table.next[slot]!) {
      if (Number.isNaN(table.began[slot]!)) table.began[slot] = now
      const before = table.computed[slot]!
      const tokens = Math.min(room, table.prompt[slot]! + table.generated[slot]! - before)
      table.computed[slot] = before + tokens
      load.prefillSequences += 1
      load.prefillTokens += tokens
      load.prefillPairs += tokens * before + (tokens * (tokens + 1)) / 2
      room -= tokens
    }
    this.pending -= load.prefillTokens
    this.prefilled += load.prefillTokens
  }

  /** Admits waiting requests in order, while a step has tokens left and the cache has room for all of the prompt. */
  private admit(): void {
    const { rule, table, adapters } = this
    const whole = rule.batching === 'static'
    if (whole && this.batched > 0) return
    let slot = this.waiting.first
    while (slot !== NONE && this.batched < rule.sequencesMost) {
      if (!whole && this.pending >= rule.tokensPerStep - this.decoding.length * this.checked) return
      const next = table.next[slot]!
      if (!adapters || adapters.fits(table.adapter[slot]!)) {
        if (!this.place(slot)) return
        if (adapters?.use(table.adapter[slot]!)) this.extra_s += rule.adapters?.load_s ?? 0
      }
      slot = next
    }
  }

  /** Into the batch; false when its blocks are not there. */
  private place(slot: number): boolean {
    const { table, rule, pool } = this
    const { prefixes } = pool
    const resident = table.resident[slot]! > 0
    const target = table.prompt[slot]! + table.generated[slot]!
    const partBlocks = prefixes?.blocksPerPart ?? 0
    const first = table.hashFirst[slot]!
    // The last token is computed even when all of the prompt is cached: its output is the answer's first token.
    const most = prefixes && !resident ? Math.min(table.hashCount[slot]!, Math.floor((target - 1) / (partBlocks * rule.blockTokens))) : 0
    const parts = prefixes && most > 0 ? prefixes.matching(first, most) : 0
    const own = Math.ceil(target / rule.blockTokens) - parts * partBlocks
    const idle = prefixes && parts > 0 ? prefixes.idleAmong(first, parts) : 0
    if (own > pool.available - idle * partBlocks) return false
    if (parts > 0) prefixes?.use(first, parts)
    const kept = pool.recall(slot)
    pool.take(own - kept)
    this.waiting.remove(slot)
    table.blocks[slot] = own
    table.held[slot] = parts
    table.place[slot] = NONE
    if (resident) {
      if (rule.preemption.by === 'swap' && table.resident[slot] === SWAPPED) this.extra_s += own * rule.preemption.block_s
      table.resident[slot] = 0
      this.join(slot)
    } else {
      const placed = this.places?.take(slot, { hashFirst: first, hashCount: table.hashCount[slot]!, tokens: target }) ?? 0
      const cached = Math.min(target - 1, placed + (parts * partBlocks + kept) * rule.blockTokens)
      table.computed[slot] = cached
      table.found[slot] = cached
      this.found += cached
      this.toRead -= cached
      this.pending += target - cached
      this.prefilling.append(slot)
    }
    return true
  }
}

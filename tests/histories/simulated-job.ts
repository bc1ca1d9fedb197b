// An attempt as its agents and ranks live it: agents join as they are ordered to, and when all are there the ranks boot, restore, step,
// save, fail with their nodes, and report through the first agent that is alive. Reports that were not taken stay in the spool.

import type { Order, Report } from '@ironlaw/contracts/report'
import type { RunPlan } from './plan.ts'
import type { RunDirectory } from './run-directory.ts'
import type { Storage } from './storage.ts'

export const TICK_S = 2
/** A step takes half of it. */
const STEPS_PER_TICK = 2
const STEP_S = TICK_S / STEPS_PER_TICK
const PREEMPTED = 75

type Parts = {
  readonly run: string
  readonly order: Order
  readonly plan: RunPlan
  readonly directory: RunDirectory
  readonly storage: Storage
  readonly now: () => number
  readonly isHung: (node: string) => boolean
  readonly isSlow: (node: string) => boolean
}

type ReportContent = Pick<Report, 'exits' | 'steps' | 'checkpoints' | 'notes'>

export class SimulatedJob {
  readonly parts: Parts
  readonly spool: Report[] = []
  /** None of its ranks runs any more; its agents wait for the next order. */
  isOver = false
  #step = 0
  #steppedAt: number
  #phase: 'booting' | 'training' | 'failing'
  readonly #readyAt: number
  /** By place in the attempt. */
  readonly #nodes = new Map<number, string>()
  readonly #gone = new Set<number>()
  readonly #heard = new Map<number, number>()
  readonly #sequences = new Map<number, number>()
  #told: ReportContent = { exits: [], steps: [], checkpoints: [], notes: [] }

  constructor(parts: Parts) {
    this.parts = parts
    this.#phase = 'booting'
    this.#steppedAt = parts.now()
    this.#readyAt = parts.now() + parts.plan.boot_s
  }

  join(index: number, node: string): void {
    this.#nodes.set(index, node)
    this.#heard.set(index, this.parts.now())
  }

  /** The node died, or its allocation ended; the processes there do not come back. */
  lose(index: number): void {
    this.#gone.add(index)
    if (this.#nodes.size > 0 && [...this.#nodes.keys()].every((each) => this.#gone.has(each))) this.isOver = true
  }

  /** Whether an agent can send now what is in the spool. */
  canReport(): boolean {
    return this.#alive().length > 0
  }

  /** Whether an agent is left that can send it sooner or later: one on a node that hangs can when the node goes on. */
  hasAgent(): boolean {
    return [...this.#nodes.keys()].some((index) => !this.#gone.has(index))
  }

  killRank(): void {
    if (this.isOver || this.#phase !== 'training' || this.#alive().length === 0) return
    this.#fail((rank) => (rank === 0 ? { code: null, signal: 9 } : { code: null, signal: 9, killed: true }))
  }

  /** The API's answer to a report. */
  handleStop(stop: 'preempt' | 'fenced'): void {
    if (this.isOver) return
    if (stop === 'fenced') return this.#end()
    if (this.#phase !== 'training' || !this.#isWhole()) return
    this.#save()
    if (!this.isOver) this.#fail(() => ({ code: PREEMPTED, signal: null }))
  }

  tick(): void {
    const alive = this.#alive()
    if (alive.length === 0 || this.isOver) return
    for (const index of alive) this.#heard.set(index, this.parts.now())
    if (this.#phase === 'booting' && this.#isWhole() && this.parts.now() >= this.#readyAt) this.#begin()
    else if (this.#phase === 'training' && this.#isWhole()) this.#train()
    else if (this.#gone.size > 0 && this.#phase !== 'failing') this.#fail(() => ({ code: 1, signal: null }))
    if (!this.isOver) this.#report()
  }

  #alive(): readonly number[] {
    return [...this.#nodes].filter(([index, node]) => !this.#gone.has(index) && !this.parts.isHung(node)).map(([index]) => index)
  }

  #isWhole(): boolean {
    return this.#alive().length === this.parts.order.nodes
  }

  #begin(): void {
    const { directory, order, plan, storage, now } = this.parts
    if (!storage.isWritable) return this.#fail(() => ({ code: 1, signal: null }))
    if (!directory.open(order.attempt)) return this.#end()
    if (order.check) return this.#measure()
    if (plan.isBroken) return this.#fail(() => ({ code: 1, signal: null }))
    const restored = directory.newest(order.resume_before ?? Infinity)
    this.#phase = 'training'
    this.#step = restored?.step ?? 0
    this.#steppedAt = now()
    this.#told.notes.push({ kind: 'attached', at: now(), detail: {} })
    if (restored) this.#told.checkpoints.push({ ...checkpoint, state: 'restored', ...restored, at: now() })
  }

  #measure(): void {
    const at = this.parts.now()
    for (const { rank, node } of this.#ranks()) {
      const rate = this.parts.isSlow(node) ? 0.4 : 1
      this.#told.notes.push({ kind: 'reading', at, detail: { rank, product_flops: rate, memory_bytes_per_s: 1 } })
    }
    this.#fail(() => ({ code: 0, signal: null }))
  }

  #train(): void {
    const { plan, order, now, directory, storage } = this.parts
    for (let each = STEPS_PER_TICK; each > 0 && !this.isOver && this.#step < plan.steps; each -= 1) {
      this.#step += 1
      this.#steppedAt = now()
      const isBad = plan.bad?.step === this.#step && order.attempt <= plan.bad.attempts
      const row = {
        step: this.#step,
        at: now() - (each - 1) * STEP_S,
        seconds: STEP_S,
        tokens: 1,
        world: this.#ranks().length,
        phases_s: { compute: 0.8, communication: 0.1 },
      }
      this.#told.steps.push({ ...row, loss: isBad ? null : 2 })
      if (this.#step % plan.checkpointEvery === 0 || this.#step === plan.steps) this.#save()
    }
    if (this.isOver || this.#step < plan.steps) return
    if (!storage.isWritable) return this.#fail(() => ({ code: 1, signal: null }))
    directory.completed = { attempt: order.attempt, step: this.#step }
    this.#told.notes.push({ kind: 'completed', at: now(), detail: { step: this.#step } })
    this.#fail(() => ({ code: 0, signal: null }))
  }

  #save(): void {
    const { directory, order, storage, now } = this.parts
    const { attempt } = order
    if (!storage.isWritable) return this.#fail(() => ({ code: 1, signal: null }))
    if (directory.commits.some((commit) => commit.attempt === attempt && commit.step === this.#step)) return
    const commit = { attempt, step: this.#step, at: now() }
    if (directory.commit(commit)) this.#told.checkpoints.push({ ...checkpoint, state: 'committed', ...commit })
    else this.#end()
  }

  #ranks(): readonly { readonly node: string; readonly index: number; readonly rank: number }[] {
    const { processesPerNode } = this.parts.plan
    return [...this.#nodes].flatMap(([index, node]) =>
      Array.from({ length: processesPerNode }, (_, local) => ({ node, index, rank: index * processesPerNode + local })),
    )
  }

  /** Every rank on a living node ends and is told of. */
  #fail(how: (rank: number) => Pick<Report['exits'][number], 'code' | 'signal' | 'killed'>): void {
    const alive = this.#alive()
    this.#phase = 'failing'
    for (const each of this.#ranks())
      if (alive.includes(each.index)) this.#told.exits.push({ ...each, at: this.parts.now(), tail: '', ...how(each.rank) })
    this.#report()
    this.#end()
  }

  #end(): void {
    this.isOver = true
  }

  #report(): void {
    const { now } = this.parts
    const [index] = this.#alive()
    if (index === undefined) return
    const sequence = (this.#sequences.get(index) ?? 0) + 1
    this.#sequences.set(index, sequence)
    const ranks = this.#ranks()
    const beats = [...this.#nodes].map(([place, node]) => ({
      node,
      index: place,
      host: node,
      age_s: now() - (this.#heard.get(place) ?? now()),
      ranks: ranks
        .filter((rank) => rank.index === place)
        .map(({ rank }) => ({
          rank,
          step: this.#step,
          phase: 'compute',
          phase_age_s: now() - this.#steppedAt,
          alive: this.#phase !== 'failing',
        })),
    }))
    this.spool.push({ node: this.#nodes.get(index) ?? '', index, sequence, sent_at: now(), beats, ...this.#told })
    this.#told = { exits: [], steps: [], checkpoints: [], notes: [] }
  }
}

const checkpoint = { bytes: 1, write_s: 0.1, pause_s: 0.1, manifest: '' }

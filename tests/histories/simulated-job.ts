// A job as its agents and ranks live it: boots, restores, steps, saves, fails with its nodes, and reports through the agent of its
// first node that is alive. Reports that were not taken stay in the spool.

import type { JobSpec } from '@ironlaw/executors'
import type { Report } from '@ironlaw/contracts/report'
import type { RunPlan } from './plan.ts'
import type { RunDirectory } from './run-directory.ts'

export const TICK_S = 2
/** A step takes half of it. */
const STEPS_PER_TICK = 2
const STEP_S = TICK_S / STEPS_PER_TICK
const PREEMPTED = 75
const FENCED = 76
const KILLED = 137

type Parts = {
  readonly run: string
  readonly attempt: number
  readonly spec: JobSpec
  readonly nodes: readonly string[]
  readonly plan: RunPlan
  readonly directory: RunDirectory
  readonly now: () => number
  readonly isHung: (node: string) => boolean
  /** Ends the job at its executor. */
  readonly exit: (status: number) => void
}

type Told = Pick<Report, 'exits' | 'steps' | 'checkpoints' | 'notes'>

export class SimulatedJob {
  readonly parts: Parts
  readonly spool: Report[] = []
  isOver = false
  #step = 0
  #steppedAt: number
  #phase: 'booting' | 'training' | 'failing'
  readonly #readyAt: number
  readonly #gone = new Set<string>()
  readonly #heard: Map<string, number>
  readonly #sequences = new Map<number, number>()
  #told: Told = { exits: [], steps: [], checkpoints: [], notes: [] }

  constructor(parts: Parts) {
    this.parts = parts
    this.#phase = 'booting'
    this.#steppedAt = parts.now()
    this.#readyAt = parts.now() + parts.plan.boot_s
    this.#heard = new Map(parts.nodes.map((node) => [node, parts.now()]))
  }

  /** The node died; its processes do not come back with it. */
  lose(node: string): void {
    if (this.parts.nodes.includes(node)) this.#gone.add(node)
  }

  hasLost(node: string): boolean {
    return !this.isOver && this.#gone.has(node)
  }

  /** Whether an agent is left to send what is in the spool. */
  hasVoice(): boolean {
    return this.#alive().length > 0
  }

  killRank(): void {
    if (this.isOver || this.#phase !== 'training' || this.#alive().length === 0) return
    this.#fail((rank) => (rank === 0 ? { code: null, signal: 9 } : { code: null, signal: 9, killed: true }), KILLED)
  }

  /** The API's answer to a report. */
  told(stop: 'preempt' | 'fenced'): void {
    if (this.isOver) return
    if (stop === 'fenced') return this.end(FENCED)
    if (this.#phase !== 'training' || this.#alive().length < this.parts.nodes.length) return
    this.#save()
    this.#fail(() => ({ code: PREEMPTED, signal: null }), PREEMPTED)
  }

  tick(): void {
    const alive = this.#alive()
    if (alive.length === 0) return
    for (const node of alive) this.#heard.set(node, this.parts.now())
    const isWhole = alive.length === this.parts.nodes.length
    if (this.#phase === 'booting' && isWhole && this.parts.now() >= this.#readyAt) this.#begin()
    else if (this.#phase === 'training' && isWhole) this.#train()
    else if (this.#gone.size > 0 && this.#phase !== 'failing') this.#fail(() => ({ code: 1, signal: null }), 1)
    if (!this.isOver) this.#report()
  }

  #alive(): readonly string[] {
    return this.parts.nodes.filter((node) => !this.#gone.has(node) && !this.parts.isHung(node))
  }

  #begin(): void {
    const { directory, attempt, spec, plan, now } = this.parts
    if (!directory.open(attempt)) return this.end(FENCED)
    if (plan.isBroken) return this.#fail(() => ({ code: 1, signal: null }), 1)
    const restored = directory.newest(Number(spec.env['IRONLAW_RESUME_BEFORE'] ?? Infinity))
    this.#phase = 'training'
    this.#step = restored?.step ?? 0
    this.#steppedAt = now()
    this.#told.notes.push({ kind: 'attached', at: now(), detail: {} })
    if (restored) this.#told.checkpoints.push({ ...checkpoint, state: 'restored', ...restored, at: now() })
  }

  #train(): void {
    const { plan, attempt, now, directory } = this.parts
    for (let each = STEPS_PER_TICK; each > 0 && !this.isOver && this.#step < plan.steps; each -= 1) {
      this.#step += 1
      this.#steppedAt = now()
      const isBad = plan.bad?.step === this.#step && attempt <= plan.bad.attempts
      const at = now() - (each - 1) * STEP_S
      const row = {
        step: this.#step,
        at,
        seconds: STEP_S,
        tokens: 1,
        world: this.#ranks().length,
        phases_s: { compute: 0.8, communication: 0.1 },
      }
      this.#told.steps.push({ ...row, loss: isBad ? null : 2 })
      if (this.#step % plan.checkpointEvery === 0 || this.#step === plan.steps) this.#save()
    }
    if (this.isOver || this.#step < plan.steps) return
    directory.completed = { attempt, step: this.#step }
    this.#told.notes.push({ kind: 'completed', at: now(), detail: { step: this.#step } })
    this.#fail(() => ({ code: 0, signal: null }), 0)
  }

  #save(): void {
    const { directory, attempt, now } = this.parts
    if (directory.commits.some((commit) => commit.attempt === attempt && commit.step === this.#step)) return
    const commit = { attempt, step: this.#step, at: now() }
    if (directory.commit(commit)) this.#told.checkpoints.push({ ...checkpoint, state: 'committed', ...commit })
    else this.end(FENCED)
  }

  #ranks(): readonly { readonly node: string; readonly index: number; readonly rank: number }[] {
    const { nodes, plan } = this.parts
    return nodes.flatMap((node, index) =>
      Array.from({ length: plan.processesPerNode }, (_, local) => ({ node, index, rank: index * plan.processesPerNode + local })),
    )
  }

  /** Every rank on a living node ends, is told of, and the job with it. */
  #fail(how: (rank: number) => Pick<Report['exits'][number], 'code' | 'signal' | 'killed'>, status: number): void {
    const alive = this.#alive()
    this.#phase = 'failing'
    for (const each of this.#ranks())
      if (alive.includes(each.node)) this.#told.exits.push({ ...each, at: this.parts.now(), tail: '', ...how(each.rank) })
    this.#report()
    this.end(status)
  }

  end(status: number): void {
    if (this.isOver) return
    this.isOver = true
    this.parts.exit(status)
  }

  #report(): void {
    const { nodes, now } = this.parts
    const [node] = this.#alive()
    if (node === undefined) return
    const index = nodes.indexOf(node)
    const sequence = (this.#sequences.get(index) ?? 0) + 1
    this.#sequences.set(index, sequence)
    const ranks = this.#ranks()
    const beats = nodes.map((name, place) => ({
      node: name,
      index: place,
      host: name,
      age_s: now() - (this.#heard.get(name) ?? now()),
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
    this.spool.push({ node, index, sequence, sent_at: now(), beats, ...this.#told })
    this.#told = { exits: [], steps: [], checkpoints: [], notes: [] }
  }
}

const checkpoint = { bytes: 1, write_s: 0.1, pause_s: 0.1, manifest: '' }

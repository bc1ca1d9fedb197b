// All legal strategies for a job on a fleet, timed and weighed. The space is a product, so it is walked from the outside in: what decides
// a layer's profile first (tensor, context, expert, microbatch), what only composes profiles inside, with memory checked before time.

import { divisible, type Fleet, illegality } from './legality.ts'
import type { TrainingJob } from './job.ts'
import type { Setup } from './layer-time.ts'
import { worstMemory } from './memory.ts'
import { type Profile, profileOf } from './profile.ts'
import { stepTime } from './step-time.ts'
import { PLAIN, type Recompute, type Shards, type Strategy } from './strategy.ts'

export type Candidate = { readonly strategy: Strategy; readonly step_s: number; readonly memory_bytes: number }

export type SearchSpace = {
  readonly recompute: readonly Recompute[]
  readonly shards: readonly Shards[]
  readonly sequenceParallel: readonly boolean[]
  readonly virtual: readonly number[]
  readonly microbatchMost: number
  readonly contextMost: number
  readonly pipelineMost: number
  /** Fixed by the user. */
  readonly fixed: Partial<Strategy>
}

export const WHOLE_SPACE: SearchSpace = {
  recompute: ['none', 'selective', 'full'],
  shards: ['optimizer', 'weights', 'nothing'],
  sequenceParallel: [true, false],
  virtual: [1, 2, 3, 4, 6, 8],
  microbatchMost: 32,
  contextMost: 32,
  pipelineMost: 128,
  fixed: {},
}

export type SearchResult = {
  /** Fastest first; what fits only. */
  readonly best: readonly Candidate[]
  readonly tried: number
  readonly fitting: number
  /** Of all that were refused for memory, the one that needs least. */
  readonly smallest?: Candidate
  /** The fastest that were refused for memory, with what they would need. */
  readonly tooLarge: readonly Candidate[]
}

type SearchLimits = { readonly memory_bytes: number; readonly keep: number }

/** Told how many strategies were tried since it was told last. */
export type Progress = (tried: number) => void

type Within = { readonly fleet: Fleet; readonly limits: SearchLimits; readonly space?: SearchSpace; readonly progress?: Progress }

export function search(setup: Setup, { fleet, limits, space = WHOLE_SPACE, progress }: Within): SearchResult {
  const { job } = setup
  const best = new Ranking(limits.keep)
  const tooLarge = new Ranking(Math.min(limits.keep, 5))
  let tried = 0
  let fitting = 0
  let smallest: Candidate | undefined
  // Fused attention keeps nothing that Megatron's selective recomputation would drop: it would cost time and save nothing.
  const sameAsNone = space.fixed.recompute === undefined && job.attention === 'flash' && setup.machine.runtime.selectiveShare === 0
  for (const division of divisions(job, fleet, space)) {
    const before = tried
    let profile: Profile | undefined
    for (const strategy of compositions(job, fleet, { space, division })) {
      if (strategy.recompute === 'selective' && sameAsNone) continue
      tried += 1
      profile ??= profileOf(setup, division)
      const memory_bytes = worstMemory(job, strategy, profile.memories)
      const fits = memory_bytes <= limits.memory_bytes
      const step_s = stepTime(setup, strategy, profile).total
      if (fits) fitting += 1
      else if (!smallest || memory_bytes < smallest.memory_bytes) smallest = { strategy, step_s, memory_bytes }
      ;(fits ? best : tooLarge).offer({ strategy, step_s, memory_bytes })
    }
    progress?.(tried - before)
  }
  return { best: best.ranked(), tried, fitting, tooLarge: tooLarge.ranked(), ...(smallest && { smallest }) }
}

/** Everything that decides a layer's profile. */
function* divisions(
  job: TrainingJob,
  fleet: Fleet,
  { fixed, sequenceParallel, microbatchMost, contextMost }: SearchSpace,
): Generator<Strategy> {
  const { heads, experts } = divisible(job)
  for (const tensor of chosen(
    fixed.tensor,
    divisors(heads).filter((size) => size <= fleet.perNode),
  ))
    for (const context of chosen(fixed.context, powersUpTo(Math.min(contextMost, job.sequence / 2048))))
      for (const contextBy of chosen(fixed.contextBy, context === 1 ? RING : EXCHANGES))
        for (const expert of chosen(fixed.expert, divisors(experts)))
          for (const microbatch of chosen(
            fixed.microbatch,
            divisors(job.globalBatch).filter((size) => size <= microbatchMost),
          ))
            for (const parallel of chosen(fixed.sequenceParallel, tensor === 1 ? [false] : sequenceParallel))
              yield { ...PLAIN, ...fixed, tensor, context, contextBy, expert, microbatch, sequenceParallel: parallel }
}

type Inner = { readonly space: SearchSpace; readonly division: Strategy }

/** Everything that composes profiles; what is illegal whatever the sharding is left out before it is multiplied. */
function* compositions(job: TrainingJob, fleet: Fleet, { space, division }: Inner): Generator<Strategy> {
  const ranks = fleet.devices / (division.tensor * division.context)
  if (!Number.isInteger(ranks)) return
  const most = Math.min(divisible(job).layers, space.pipelineMost)
  for (const pipeline of chosen(space.fixed.pipeline, divisors(ranks))) {
    const data = ranks / pipeline
    if (!Number.isInteger(data) || data !== (space.fixed.data ?? data)) continue
    if ((space.fixed.pipeline === undefined && pipeline > most) || job.globalBatch % (data * division.microbatch) !== 0) continue
    for (const virtual of chosen(space.fixed.virtual, pipeline === 1 ? UNDIVIDED : space.virtual)) {
      const placed: Strategy = {
        ...division,
        pipeline,
        data,
        virtual,
        schedule: space.fixed.schedule ?? (virtual > 1 ? 'interleaved' : '1f1b'),
      }
      if (illegality(job, placed, fleet) !== undefined) continue
      for (const shards of chosen(space.fixed.shards, data * division.context === 1 ? UNSHARDED : space.shards))
        for (const recompute of chosen(space.fixed.recompute, space.recompute)) yield { ...placed, shards, recompute }
    }
  }
}

const RING: readonly Strategy['contextBy'][] = ['ring']
const EXCHANGES: readonly Strategy['contextBy'][] = ['ring', 'all-to-all']
const UNDIVIDED: readonly number[] = [1]
const UNSHARDED: readonly Shards[] = ['nothing']

const chosen = <T>(fixed: T | undefined, all: readonly T[]): readonly T[] => (fixed === undefined ? all : [fixed])

/** Remembered: a search asks for the divisors of the same few numbers again and again. */
const DIVISORS = new Map<number, readonly number[]>()

function divisors(whole: number): readonly number[] {
  const known = DIVISORS.get(whole)
  if (known) return known
  const made = Array.from({ length: Math.min(whole, 4096) }, (_, index) => index + 1).filter((size) => whole % size === 0)
  DIVISORS.set(whole, made)
  return made
}

const powersUpTo = (most: number): number[] => [1, 2, 4, 8, 16, 32, 64].filter((size) => size <= Math.max(1, most))

/** The few fastest of many, without keeping or sorting the many. */
class Ranking {
  #kept: Candidate[] = []
  #most: number

  constructor(most: number) {
    this.#most = most
  }

  full(): boolean {
    return this.#kept.length >= this.#most
  }

  offer(candidate: Candidate): void {
    const last = this.#kept.at(-1)
    if (this.full() && last && candidate.step_s >= last.step_s) return
    const at = this.#kept.findIndex((kept) => kept.step_s > candidate.step_s)
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, candidate)
    if (this.#kept.length > this.#most) this.#kept.pop()
  }

  ranked(): readonly Candidate[] {
    return this.#kept
  }
}

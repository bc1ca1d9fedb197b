// All legal strategies for a job on a fleet, timed and weighed. The space is a product, so it is walked from the outside in: what decides
// a layer's profile first (tensor, context, expert, microbatch), what only composes profiles inside, with memory checked before time.

import { divisors } from './divisors.ts'
import { overlapsOf, type RecomputeMode, modesOf, recomputeModes, withDispatcher } from './expert-axes.ts'
import { divisionLimits, type PlanFleet, illegality } from './legality.ts'
import type { TrainingJob, Setup } from '../job.ts'
import { LEAST_FIT_PROBABILITY, marginFor } from '../memory/device-need.ts'
import { hostBytes, type StageLoad, stageLoads, worstNeed } from '../memory/memory.ts'
import { knownProfile, type Profile } from './profile.ts'
import { type Candidate, oneOfEachKind, type RankedCandidate, Ranking, type RankingScope } from './ranking.ts'
import { schedulesOf, type Sharding, shardingsWithin } from './sharding-axes.ts'
import { stageTimes, stepOf, type TimedStages } from '../time/step-time.ts'
import { PLAIN, type Recompute, type Shards, type Strategy } from '../strategy.ts'

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
  /** Fastest first: they may fit, with less than the probability asked for. */
  readonly tight: readonly Candidate[]
  readonly tried: number
  readonly fitting: number
  /** Of all that were refused for memory, the one that needs least. */
  readonly smallest?: Candidate
  /** The fastest that were refused for memory, tight ones among them, with what they would need. */
  readonly tooLarge: readonly Candidate[]
  /** Of all that were refused because hosts have too little memory for what is laid there, the least need of a device's share, in bytes. */
  readonly host_bytes?: number
}

export type SearchLimits = {
  /** Memory of a device. */
  readonly memory_bytes: number
  /** With which strategies are to fit; even odds when absent. */
  readonly probability?: number
  readonly keep: number
  readonly scope?: RankingScope
}

/** Called with the number of strategies tried since the last call. */
export type ProgressCallback = (tried: number) => void

/** One of several parts of a space, which are walked apart. */
export type Shard = { readonly index: number; readonly of: number }

/** A search as data. */
export type SearchTask = { readonly fleet: PlanFleet; readonly limits: SearchLimits; readonly space?: SearchSpace; readonly shard?: Shard }

type SearchOptions = SearchTask & { readonly progress?: ProgressCallback }

export const search = (setup: Setup, within: SearchOptions): SearchResult => mergedShards([searchShard(setup, within)], within.limits)

/** What one part of a space found, each candidate with its place in the walk. */
export type ShardResult = Pick<SearchResult, 'tried' | 'fitting' | 'host_bytes'> & {
  readonly best: readonly RankedCandidate[]
  readonly tight: readonly RankedCandidate[]
  readonly tooLarge: readonly RankedCandidate[]
  readonly smallest?: RankedCandidate
}

export function searchShard(setup: Setup, { fleet, limits, space = WHOLE_SPACE, shard = WHOLE, progress }: SearchOptions): ShardResult {
  const { job } = setup
  const { memory_bytes: limit, probability = EVEN_ODDS, keep, scope } = limits
  const [margin, leastMargin] = [marginFor(probability), marginFor(Math.min(probability, LEAST_FIT_PROBABILITY))]
  const [best, tight, tooLarge] = [new Ranking(keep, scope), new Ranking(keep, scope), new Ranking(Math.min(keep, REFUSED))]
  let tried = 0
  let fitting = 0
  let smallest: RankedCandidate | undefined
  let host_bytes = Infinity
  const hostMemory = setup.machine.host.memory ?? Infinity
  const recomputes = recomputeModes(setup, space)
  const fill = withDispatcher(setup, fleet, space)
  const shardingsOf = shardingsWithin(space, { fleet, setup })
  let at = -1
  for (const division of divisions(job, fleet, space)) {
    at += 1
    if (at % shard.of !== shard.index) continue
    const before = tried
    for (const placed of placements(setup, fleet, { space, division: fill(division), shardingsOf })) {
      const profile = knownProfile(setup, placed)
      const works = modesOf(recomputes, placed, overlapsOf(space, setup.machine.runtime, { ...placed, division: placed })).map((mode) =>
        stageWork(setup, { placed, mode }, mode.recomputeModules ? knownProfile(setup, { ...placed, ...mode }) : profile),
      )
      for (const sharding of shardingsOf(placed))
        for (const { mode, loads, stages } of works) {
          tried += 1
          const strategy = { ...placed, ...sharding, ...mode }
          const onHost = hostBytes(job, strategy, loads)
          if (onHost > hostMemory) {
            host_bytes = Math.min(host_bytes, onHost)
            continue
          }
          const { likely, spread } = worstNeed(job, strategy, loads)
          const candidate = { strategy, step_s: stepOf(setup, strategy, stages).total, memory_bytes: likely, spread_bytes: spread, at }
          if (likely + margin * spread <= limit) {
            fitting += 1
            best.offer(candidate)
            continue
          }
          tooLarge.offer(candidate)
          if (!smallest || likely < smallest.memory_bytes) smallest = candidate
          if (likely + leastMargin * spread <= limit) tight.offer(candidate)
        }
    }
    progress?.(tried - before)
  }
  return {
    tried,
    fitting,
    best: best.candidates(),
    tight: tight.candidates(),
    tooLarge: tooLarge.candidates(),
    ...(smallest && { smallest }),
    ...(host_bytes < Infinity && { host_bytes }),
  }
}

const WHOLE: Shard = { index: 0, of: 1 }
const EVEN_ODDS = 0.5
/** How many candidates refused for memory a result lists. */
const REFUSED = 5

/** The same answer as one walk over the whole space, whatever the number of parts. */
export function mergedShards(results: readonly ShardResult[], { keep, scope }: SearchLimits): SearchResult {
  const smallest = results
    .flatMap((result) => (result.smallest ? [result.smallest] : []))
    .reduce<RankedCandidate | undefined>(
      (least, each) =>
        least && (least.memory_bytes < each.memory_bytes || (least.memory_bytes === each.memory_bytes && least.at < each.at))
          ? least
          : each,
      undefined,
    )
  const host_bytes = Math.min(...results.map((result) => result.host_bytes ?? Infinity))
  const rankedPlans = (of: 'best' | 'tight' | 'tooLarge', most: number): readonly Candidate[] => {
    const ranked = results.flatMap((result) => result[of]).toSorted((a, b) => a.step_s - b.step_s || a.at - b.at)
    const shown = scope === 'kinds' && of !== 'tooLarge' ? oneOfEachKind(ranked) : ranked
    return shown.slice(0, most).map(withoutPosition)
  }
  return {
    best: rankedPlans('best', keep),
    tight: rankedPlans('tight', keep),
    tried: results.reduce((sum, { tried }) => sum + tried, 0),
    fitting: results.reduce((sum, { fitting }) => sum + fitting, 0),
    tooLarge: rankedPlans('tooLarge', Math.min(keep, REFUSED)),
    ...(smallest && { smallest: withoutPosition(smallest) }),
    ...(host_bytes < Infinity && { host_bytes }),
  }
}

const withoutPosition = ({ strategy, step_s, memory_bytes, spread_bytes }: RankedCandidate): Candidate => ({
  strategy,
  step_s,
  memory_bytes,
  spread_bytes,
})

/** What does not depend on how states are sharded. */
type StageWork = { readonly mode: RecomputeMode; readonly loads: readonly StageLoad[]; readonly stages: TimedStages }

function stageWork(setup: Setup, { placed, mode }: { placed: Strategy; mode: RecomputeMode }, profile: Profile): StageWork {
  const strategy = { ...placed, ...mode }
  return { mode, loads: stageLoads(setup.job, strategy, profile.memories), stages: stageTimes(setup, strategy, profile) }
}

/** Everything that decides a layer's profile. */
function* divisions(
  job: TrainingJob,
  fleet: PlanFleet,
  { fixed, sequenceParallel, microbatchMost, contextMost }: SearchSpace,
): Generator<Strategy> {
  const { heads, experts } = divisionLimits(job)
  for (const tensor of fixedOrAll(
    fixed.tensor,
    divisors(heads).filter((size) => size <= fleet.perNode),
  ))
    for (const context of fixedOrAll(fixed.context, powersUpTo(Math.min(contextMost, job.sequence / 2048))))
      for (const contextBy of fixedOrAll(fixed.contextBy, context === 1 ? RING : EXCHANGES))
        for (const expert of fixedOrAll(fixed.expert, divisors(experts)))
          for (const microbatch of fixedOrAll(
            fixed.microbatch,
            divisors(job.globalBatch).filter((size) => size <= microbatchMost),
          ))
            for (const parallel of fixedOrAll(fixed.sequenceParallel, tensor === 1 ? [false] : sequenceParallel))
              yield { ...PLAIN, ...fixed, tensor, context, contextBy, expert, microbatch, sequenceParallel: parallel }
}

type PlacementInputs = {
  readonly space: SearchSpace
  readonly division: Strategy
  readonly shardingsOf: (placed: Strategy) => readonly Sharding[]
}

/** How divided layers are placed in pipelines; what is illegal whatever the sharding is left out before it is multiplied. */
function* placements({ job, machine }: Setup, fleet: PlanFleet, { space, division, shardingsOf }: PlacementInputs): Generator<Strategy> {
  const ranks = fleet.devices / (division.tensor * division.context)
  if (!Number.isInteger(ranks)) return
  const most = Math.min(divisionLimits(job).layers, space.pipelineMost)
  for (const pipeline of fixedOrAll(space.fixed.pipeline, divisors(ranks))) {
    const data = ranks / pipeline
    if (!Number.isInteger(data) || data !== (space.fixed.data ?? data)) continue
    if ((space.fixed.pipeline === undefined && pipeline > most) || job.globalBatch % (data * division.microbatch) !== 0) continue
    for (const virtual of fixedOrAll(space.fixed.virtual, pipeline === 1 ? UNDIVIDED : space.virtual)) {
      for (const schedule of schedulesOf(space, machine.runtime, { pipeline, virtual }))
        for (const overlap of overlapsOf(space, machine.runtime, { division, pipeline, virtual, schedule })) {
          const placed: Strategy = { ...division, ...overlap, pipeline, data, virtual, schedule }
          const [sharding] = shardingsOf(placed)
          if (illegality(job, { ...placed, ...sharding }, fleet) === undefined) yield placed
        }
    }
  }
}

const RING: readonly Strategy['contextBy'][] = ['ring']
const EXCHANGES: readonly Strategy['contextBy'][] = ['ring', 'all-to-all']
const UNDIVIDED: readonly number[] = [1]

const fixedOrAll = <T>(fixed: T | undefined, all: readonly T[]): readonly T[] => (fixed === undefined ? all : [fixed])

const powersUpTo = (most: number): number[] => [1, 2, 4, 8, 16, 32, 64].filter((size) => size <= Math.max(1, most))

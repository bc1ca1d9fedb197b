// Wall-clock time of a pipeline by cause. Passes follow each other, and all workers wait for the last one of each:
//
//   examine   every unit: read, the steps before deduplication and its signatures          only where documents are deduplicated
//   match     every partition of keys: which documents share one
//   join      one process: which documents belong together
//   repeats   every unit twice, and every partition of keys twice                          only where repeated text is removed
//   write     every unit: read, the other steps, write or spill tokens
//   shuffle   every shard of tokens                                                          only where documents are tokenised

import type { DataInterval, DataPlan } from '@ironlaw/contracts/data-plan'
import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { explain } from '@ironlaw/laws'
import { pipelineMakespan } from '@ironlaw/laws/data/pipeline'
import { latencyBudget } from '@ironlaw/laws/latency/stages'
import { metadataTime } from '@ironlaw/laws/storage/bandwidth'
import { counted, type Known, quantity, show } from '@ironlaw/units'
import { type FilledConditions, parallelWorkers } from './conditions.ts'
import { type Estimate, spreadInterval } from './estimate.ts'
import { type StepLeft, wholeCorpus } from './left.ts'
import type { Rate, Rates } from './rates.ts'
import type { Volumes } from './volumes.ts'

export type PipelineInput = {
  readonly probe: DataProbe
  readonly left: readonly StepLeft[]
  readonly volumes: Volumes
  readonly rates: Rates
  readonly conditions: FilledConditions
}

type Work = { readonly cause: string; readonly time_s: number; readonly spread: number; readonly rated?: Rated }
/** Work whose rate is known, with its derivation. */
type Rated = { readonly rate: DataPlan['rates'][number]; readonly by: Known<'s'> }

type Pass = {
  readonly work: readonly Work[]
  /** Tasks that workers take, and the largest of them as a share of all work. */
  readonly largest: number
  readonly workers: number
  /** What all workers read together, and of it what each waits for: intermediate files are as fast as the work on them says. */
  readonly read_bytes: number
  readonly source_bytes: number
  readonly opens: number
  /** Files that it makes, each durable before it counts. */
  readonly files: number
  /** Done by one process while the workers wait. */
  readonly isSingle?: boolean
}

export type PipelineTime = {
  readonly duration: Estimate<'s'>
  readonly causes: Readonly<Record<string, DataInterval>>
  readonly rates: DataPlan['rates']
  /** Seconds of the whole that each resource alone would take. */
  readonly held: {
    readonly cores: number
    readonly storage: number
    readonly unit: number
    readonly join: number
    readonly opens: number
    readonly start: number
  }
}

/** Of waiting until workers run, and for the last one: between nothing and twice as much. */
const WAIT_SPREAD = 0.5
const STORAGE_SPREAD = 0.25
/** Of reading, what records cost that were dropped before: they are decompressed and cut, not parsed. */
const SCAN_SHARE = 0.3
/** Machines differ from day to day by what else runs on them. */
const COMMON_SPREAD = 0.08
/** What a disk takes to make a file durable differs from one to the next. */
const DURABLE_SPREAD = 0.35
/** Files that the process which joins makes durable at once: Node's threads for files. */
const JOIN_WRITERS = 4
/** Of a unit, a partition or a shard, with the one that says that it is done. */
const FILES = { examine: 5, match: 2, repeats: 2, write: 2, shuffle: 4 } as const

export function pipelineTime(input: PipelineInput): PipelineTime {
  const { conditions } = input
  const passes = passesOf(input)
  const timed = passes.map((pass) => timedPass(pass, conditions))
  const causes = new Map<string, Work>([['wait', { cause: 'wait', time_s: conditions.start_s, spread: WAIT_SPREAD }]])
  for (const { cause, time_s, spread } of timed.flatMap(({ work }) => work)) {
    const before = causes.get(cause)
    const sum = time_s + (before?.time_s ?? 0)
    const off = time_s * spread + (before ? before.time_s * before.spread : 0)
    causes.set(cause, { cause, time_s: sum, spread: sum > 0 ? off / sum : 0 })
  }
  const start: Known<'s'> = known(conditions.start_s, 'processes start and load what they need')
  const by = explain(latencyBudget, { stage: [start, ...timed.map((pass) => pass.by)] })
  const squares = [...causes.values()].reduce((sum, { time_s, spread }) => sum + (time_s * spread) ** 2, 0)
  const held = (name: keyof TimedPass['held']): number => timed.reduce((sum, pass) => sum + pass.held[name], 0)
  return {
    duration: { ...spreadInterval(by.value, Math.hypot(COMMON_SPREAD, Math.sqrt(squares) / by.value)), by },
    causes: Object.fromEntries(
      [...causes.values()].map(({ cause, time_s, spread }) => [cause, spreadInterval(time_s, Math.hypot(COMMON_SPREAD, spread))]),
    ),
    rates: ratesIn(passes),
    held: {
      cores: held('cores'),
      storage: held('storage'),
      unit: held('unit'),
      opens: held('opens'),
      join: held('join'),
      start: conditions.start_s,
    },
  }
}

/** Each once. */
const ratesIn = (passes: readonly Pass[]): DataPlan['rates'] => [
  ...new Map(passes.flatMap(({ work }) => work.flatMap(({ rated }) => (rated ? [[rated.rate.does, rated.rate] as const] : [])))).values(),
]

const ratedWork =
  (rates: Rates) =>
  (cause: string, does: string, bytes: number): Work => {
    const { s_per_byte, ...rate } = rates.of(does)
    const time_s = bytes * s_per_byte
    if (s_per_byte === 0) return { cause, time_s, spread: rate.spread }
    const rated = { cause, does, bytes_per_s: 1 / s_per_byte, ...rate }
    return { cause, time_s, spread: rate.spread, rated: { rate: rated, by: known(time_s, rateText(bytes, rated), originText(rate)) } }
  }

function passesOf(input: PipelineInput): readonly Pass[] {
  const { probe, left, volumes } = input
  const { steps } = probe
  const at = steps.findIndex(({ kind }) => kind === 'dedupe')
  const isTokenized = steps.some(({ kind }) => kind === 'tokenize')
  const out_bytes = isTokenized ? volumes.tokens_bytes : (left.at(-1) ?? wholeCorpus(probe)).bytes.value
  const work = ratedWork(input.rates)
  const ofUnits = unitPass(input)
  const { match, join, shuffle } = groupPasses(input)
  const repeatKeys = { more: [work('write', 'keys', volumes.repeats_bytes / 2)], files: FILES.repeats }
  const repeats: readonly Pass[] = [
    // Its time beside reading is that of deduplication.
    ofUnits(at + 1, at + 1, repeatKeys),
    ofUnits(at + 1, at + 1, repeatKeys),
    {
      ...match,
      work: [work('cluster', 'match', volumes.repeats_bytes)],
      read_bytes: volumes.repeats_bytes,
      opens: 2 * match.opens,
      files: 2 * match.files,
    },
  ]
  return [
    ...(at < 0 ? [] : [ofUnits(0, at + 1, { more: [work('write', 'keys', volumes.keys_bytes)], files: FILES.examine }), match, join]),
    ...(at < 0 || !probe.repeats ? [] : repeats),
    ofUnits(at + 1, steps.length, {
      more: [work('write', isTokenized ? 'write tokens' : 'write documents', out_bytes)],
      files: FILES.write,
    }),
    ...(isTokenized ? [shuffle] : []),
  ]
}

type UnitWork = { readonly more: readonly Work[]; readonly files: number }

/** Reads every unit and does some of the steps. */
function unitPass({ probe, left, rates, conditions }: PipelineInput): (from: number, to: number, own: UnitWork) => Pass {
  const { corpus, steps, reading } = probe
  const work = ratedWork(rates)
  const parsedShare = (from: number): number =>
    from === 0 || corpus.bytes === 0 ? 1 : SCAN_SHARE + ((1 - SCAN_SHARE) * (left[from - 1]?.bytes.value ?? 0)) / corpus.bytes
  // A second reading that runs were timed at is known by itself; else it is what is left to parse, and a scan of the rest.
  const read = (from: number): Work =>
    from > 0 && rates.isLearned(reading.again)
      ? work('read', reading.again, corpus.stored_bytes)
      : work('read', reading.does, corpus.stored_bytes * parsedShare(from))
  const stepWork = (from: number, to: number): readonly Work[] =>
    steps.slice(from, to).map(({ name, does }, index) => work(name, does, (left[from + index - 1] ?? wholeCorpus(probe)).bytes.value))
  return (from, to, { more, files }) => ({
    work: [read(from), ...stepWork(from, to), ...more],
    largest: corpus.stored_bytes > 0 ? corpus.largestUnit_bytes / corpus.stored_bytes : 0,
    workers: Math.min(parallelWorkers(conditions), Math.max(1, corpus.units)),
    read_bytes: corpus.stored_bytes,
    source_bytes: corpus.stored_bytes,
    opens: corpus.units,
    files: corpus.units * files,
  })
}

/** Over partitions of keys, over all edges, and over shards. */
function groupPasses({ probe: { corpus }, volumes, rates, conditions }: PipelineInput): Record<'match' | 'join' | 'shuffle', Pass> {
  const work = ratedWork(rates)
  const parallel = parallelWorkers(conditions)
  return {
    match: {
      work: [work('cluster', 'match', volumes.keys_bytes)],
      largest: 1 / volumes.partitions,
      workers: Math.min(parallel, volumes.partitions),
      read_bytes: volumes.keys_bytes,
      source_bytes: 0,
      opens: corpus.units * volumes.partitions,
      files: FILES.match * volumes.partitions,
    },
    join: {
      work: [work('cluster', 'join', volumes.edges_bytes)],
      largest: 1,
      workers: 1,
      read_bytes: volumes.edges_bytes,
      source_bytes: 0,
      opens: volumes.partitions,
      files: corpus.units / JOIN_WRITERS,
      isSingle: true,
    },
    shuffle: {
      work: [work('write', 'shuffle', volumes.tokens_bytes)],
      largest: 1 / volumes.shards,
      workers: Math.min(parallel, volumes.shards),
      read_bytes: volumes.tokens_bytes,
      source_bytes: 0,
      opens: corpus.units * volumes.shards,
      files: FILES.shuffle * volumes.shards,
    },
  }
}

type TimedPass = {
  readonly work: readonly Work[]
  readonly by: Known<'s'>
  readonly held: Omit<PipelineTime['held'], 'start'>
}

function timedPass(
  { work, largest, workers, read_bytes, source_bytes, opens, files, isSingle = false }: Pass,
  conditions: FilledConditions,
): TimedPass {
  const { reader_bytes_per_s, storage_bytes_per_s = Infinity, open_s, write_s } = conditions
  const opening = explain(metadataTime, {
    files: count(opens),
    openTime: known(open_s, 'to open a file'),
    parallelOpens: count(workers),
  }).value
  const durable_s = files * write_s
  // Files are read ahead while records are parsed.
  const parsing_s = work.reduce((sum, { cause, time_s }) => sum + (cause === 'read' ? time_s : 0), 0)
  const waiting_s = Math.max(0, source_bytes / reader_bytes_per_s - parsing_s)
  const busy_s = work.reduce((sum, { time_s }) => sum + time_s, 0) + waiting_s + opening * workers + durable_s
  const makespan = explain(pipelineMakespan, {
    work: explain(latencyBudget, {
      stage: [
        ...work.flatMap(({ rated }) => rated?.by ?? []),
        ...(waiting_s > 0 ? [known(waiting_s, 'readers wait for storage')] : []),
        known(opening * workers, 'files are opened'),
        known(durable_s, 'files are made durable'),
      ],
    }),
    largest: known(busy_s * largest, 'the largest unit'),
    workers: count(workers),
  })
  const storage = read_bytes / storage_bytes_per_s
  const isStored = storage > makespan.value
  const by: Known<'s'> = isStored ? known(storage, 'all that is read, at the bandwidth of storage') : makespan
  const wait = makespan.value - busy_s / workers
  return {
    by,
    work: [
      ...work.map((each) => ({ ...each, time_s: each.time_s / workers })),
      { cause: 'read', time_s: waiting_s / workers + opening + Math.max(0, storage - makespan.value), spread: STORAGE_SPREAD },
      { cause: 'write', time_s: durable_s / workers, spread: DURABLE_SPREAD },
      { cause: 'wait', time_s: wait, spread: WAIT_SPREAD },
    ],
    held: isSingle
      ? { cores: 0, storage: 0, unit: 0, opens: 0, join: by.value }
      : {
          cores: (busy_s - waiting_s - durable_s) / workers - opening,
          storage: isStored ? storage : waiting_s / workers,
          unit: wait,
          opens: opening + durable_s / workers,
          join: 0,
        },
  }
}

const count = (value: number): Known<'1'> => ({ value: quantity(value, '1'), unit: '1', by: { kind: 'given' } })
const known = (value: number, what: string, asOf = 'probe'): Known<'s'> => ({
  value: quantity(value, 's'),
  unit: 's',
  by: { kind: 'source', ref: what, asOf },
})

const rateText = (bytes: number, { cause, bytes_per_s }: Rated['rate']): string =>
  `${cause}: ${show(quantity(bytes, 'B'), 'B')} at ${show(quantity(bytes_per_s, 'B/s'), 'B/s')} a thread`

const originText = ({ from, runs = 0 }: Pick<Rate, 'from' | 'runs'>): string =>
  from === 'calibration' ? `calibration of ${counted(runs, 'run')}` : from

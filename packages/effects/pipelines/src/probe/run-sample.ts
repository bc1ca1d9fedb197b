// Runs the sample of a probe through the steps of the spec, and sums what is left by cluster.

import type { DataProbe } from '@ironlaw/contracts/data-probe'
import type { DataStep } from '@ironlaw/contracts/data-spec'
import type { Document } from '../document.ts'
import { closeSteps, compileSteps, type Pipeline } from '../pipeline.ts'
import type { Tokenizing } from '../tokenizing.ts'
import { stepWork } from '../work-names.ts'
import type { HeavyClusters } from './heavy.ts'
import { type FoundDuplicates, removeDuplicates } from './sample-duplicates.ts'
import { cutSample, type CutSample } from './sample-repeats.ts'
import type { Sampled } from './sampled.ts'

type Ran = Pick<DataProbe, 'sample' | 'heavy' | 'steps' | 'duplicates' | 'repeats'>
type StepFigures = DataProbe['steps'][number]

const BATCH = 64
const MOST_HEAVIEST = 100

export type SampleRun = {
  readonly contents: readonly Sampled[]
  readonly heavy: HeavyClusters
  /** Loaded before, since loading is no work of the step. */
  readonly tokenizing: Tokenizing | undefined
}

export async function runSample(pipeline: Pipeline, { contents: sampled, heavy, tokenizing }: SampleRun): Promise<Ran> {
  const entered = clusterSums(sampled, heavy)
  const steps: StepFigures[] = []
  let duplicates: FoundDuplicates | undefined
  let repeats: CutSample | undefined
  let going = sampled
  for (const [place, step] of pipeline.spec.steps.entries()) {
    const ran = going
    const bytes = ran.reduce((sum, { document }) => sum + Buffer.byteLength(document.text), 0)
    const from = performance.now()
    // What the probe does besides the work of the step.
    let own_s = 0
    if (step.deduplicate) {
      duplicates = removeDuplicates(going, pipeline.duplicates as NonNullable<Pipeline['duplicates']>, heavy)
      going = duplicates.left
      own_s = (performance.now() - from) / 1000 - duplicates.keys_s
      if (pipeline.duplicates?.substrings) {
        repeats = await cutSample(pipeline, { going, clusters: new Set(sampled.map(({ anchor }) => anchor)), heavy })
        going = repeats.left
        own_s += repeats.lookup_s
      }
    } else if (step.tokenize) countTokens(tokenizing as Tokenizing, going)
    else if (!step.expect) going = await throughStep(pipeline, { place, step }, going)
    const time_s = (performance.now() - from) / 1000 - own_s
    const sums = clusterSums(going, heavy)
    steps.push({
      name: pipeline.stepNames[place] as string,
      kind: kindOf(step),
      does: stepWork(step),
      documents: ran.length,
      bytes,
      time_s,
      left: leftOf(entered, sums, step.tokenize !== undefined),
      heavy: heavyOf(going, heavy, step.tokenize !== undefined),
    })
  }
  return {
    sample: { clusters: entered.size, documents: sizes(entered, 'documents'), bytes: sizes(entered, 'bytes') },
    heavy: heavyTotals(heavy),
    steps,
    ...(duplicates?.figures ? { duplicates: duplicates.figures } : {}),
    ...(repeats ? { repeats: { keys: repeats.keys, heavyKeys: repeats.heavyKeys } } : {}),
  }
}

const kindOf = (step: DataStep): StepFigures['kind'] =>
  step.deduplicate ? 'dedupe' : step.tokenize ? 'tokenize' : step.expect || step.redact ? 'other' : 'filter'

/** In batches, and steps of each source by themselves, as a worker does it. */
async function throughStep(
  pipeline: Pipeline,
  placed: { place: number; step: DataStep },
  sampled: readonly Sampled[],
): Promise<readonly Sampled[]> {
  const left: Sampled[] = []
  const bySource = Map.groupBy(sampled, ({ unit }) => unit.source)
  for (const ofSource of bySource.values()) {
    const [first] = ofSource
    if (!first) continue
    const compiled = await compileSteps(pipeline, [placed], first.unit)
    try {
      for (let at = 0; at < ofSource.length; at += BATCH) {
        const batch = ofSource.slice(at, at + BATCH)
        let documents: readonly Document[] = batch.map(({ document }) => document)
        for (const { step } of compiled) documents = await step.apply(documents, () => undefined)
        const kept = new Set(documents)
        left.push(...batch.filter(({ document }) => kept.has(document)))
      }
    } finally {
      await closeSteps(compiled)
    }
  }
  return left
}

function countTokens({ encode }: Tokenizing, sampled: readonly Sampled[]): void {
  for (const each of sampled) each.tokens = encode(each.document.text).length + 1
}

type Sums = { documents: number; bytes: number; tokens: number }

/** By anchor, without heavy clusters. */
function clusterSums(sampled: readonly Sampled[], heavy: HeavyClusters): ReadonlyMap<number, Sums> {
  const sums = new Map<number, Sums>()
  for (const each of sampled) {
    if (heavy.has(each.anchor)) continue
    const sum = sums.get(each.anchor) ?? { documents: 0, bytes: 0, tokens: 0 }
    sums.set(each.anchor, sum)
    add(sum, each)
  }
  return sums
}

function add(sum: Sums, { copies, weight, tokens, document }: Sampled): void {
  const counts = copies * weight
  sum.documents += counts
  sum.bytes += counts * Buffer.byteLength(document.text)
  sum.tokens += counts * tokens
}

const sizes = (sums: ReadonlyMap<number, Sums>, field: keyof Sums): { sum: number; squares: number } => {
  let [sum, squares] = [0, 0]
  for (const each of sums.values()) {
    sum += each[field]
    squares += each[field] ** 2
  }
  return { sum, squares }
}

function leftOf(entered: ReadonlyMap<number, Sums>, left: ReadonlyMap<number, Sums>, hasTokens: boolean): StepFigures['left'] {
  const of = (field: keyof Sums, against: keyof Sums) => {
    let products = 0
    for (const [anchor, each] of left) products += each[field] * (entered.get(anchor)?.[against] ?? 0)
    return { ...sizes(left, field), products }
  }
  return {
    documents: of('documents', 'documents'),
    bytes: of('bytes', 'bytes'),
    ...(hasTokens ? { tokens: of('tokens', 'bytes') } : {}),
  }
}

function heavyOf(sampled: readonly Sampled[], heavy: HeavyClusters, hasTokens: boolean): StepFigures['heavy'] {
  const sum: Sums = { documents: 0, bytes: 0, tokens: 0 }
  for (const each of sampled) if (heavy.has(each.anchor)) add(sum, each)
  return { documents: sum.documents, bytes: sum.bytes, ...(hasTokens ? { tokens: sum.tokens } : {}) }
}

const heavyTotals = (heavy: HeavyClusters): DataProbe['heavy'] => ({
  clusters: heavy.size,
  documents: [...heavy.values()].reduce((sum, { documents }) => sum + documents, 0),
  bytes: [...heavy.values()].reduce((sum, { bytes }) => sum + bytes, 0),
  heaviest: [...heavy].slice(0, MOST_HEAVIEST).map(([anchor, cluster]) => ({ anchor: anchor.toString(16), ...cluster })),
})

// How often gates err on real models: small transformers that PyTorch trains here, equal ones that differ by their seeds, and worse ones. What is
// true of a pair is measured on half of very many items; the gates judge small disjoint parts of the other half.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sha256 } from '@ironlaw/contracts'
import { pairedItems } from '@ironlaw/laws/experiments/sample-size'
import { normalQuantile } from '@ironlaw/laws/normal'
import { studentQuantile } from '@ironlaw/laws/student'
import { gateErrors, type JudgedRelease, OWN_GATE } from '@ironlaw/simulator'
import { scalar } from '@ironlaw/units'

const PROGRAM = join(import.meta.dirname, 'small_models.py')
const CACHE = join(homedir(), '.cache/ironlaw/small-models')
const PYTHON = process.env['IRONLAW_PYTHON'] ?? '/usr/bin/python3'

const ITEMS = 200_000
const MODELS = 44
const SETTINGS = {
  language_seed: 3,
  words: 24,
  followers: 5,
  items_seed: 9,
  items: ITEMS,
  context: 3,
  width: 24,
  rate: 0.006,
  steps: 240,
  fewer: 205,
  batch: 128,
  noise: 0.2,
  levels: 4,
  models: MODELS,
}

const RISK = { falseBlock: 0.05, miss: 0.05 }
/** Of equal pairs: what a gate may ask for. Of worse pairs it is what is lost, the hardest case. */
const MARGINS = [0.03, 0.04, 0.05] as const
/** Smaller losses need more items than a part can have, and larger ones are seen by any gate. */
const LOSSES = { least: 0.02, most: 0.08 } as const
const MOST_APART = 0.005
const PILOT_ITEMS = 400
const MOST_PARTS = 20
const LEAST_PAIRS = 40

type Pair = {
  readonly kind: string
  readonly truth: JudgedRelease['truth']
  readonly margin: number
  /** Of all items whose truth counts: after minus before. */
  readonly difference: number
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/** Whether there are enough pairs, and neither error of the paired gate is surely larger than it states. */
export async function realPairs(): Promise<boolean> {
  const models = await trainedModels()
  const pairs = [...equalPairs(models), ...worsePairs(models)]
  const judged = pairs.map((pair) => ({ pair, releases: partsOf(pair) }))
  const releases = judged.flatMap(({ releases: own }) => own)
  for (const truth of ['equal', 'worse'] as const) {
    const own = judged.filter(({ pair }) => pair.truth === truth)
    const differences = own.map(({ pair }) => 100 * pair.difference).toSorted((a, b) => a - b)
    const kinds = Object.entries(Object.groupBy(own, ({ pair }) => pair.kind)).map(([kind, some]) => `${some?.length} by ${kind}`)
    console.log(
      `${own.length} ${truth} pairs (${kinds.join(', ')}), ${differences[0]?.toFixed(2)} to ${differences.at(-1)?.toFixed(2)} points apart by ${ITEMS / 2} items; ${own.reduce((sum, { releases: some }) => sum + some.length, 0)} parts judged`,
    )
  }
  const errors = gateErrors(releases, RISK).map((error) => ({
    ...error,
    blocks: overPairs(judged, 'equal', error.gate),
    misses: overPairs(judged, 'worse', error.gate),
  }))
  console.log(
    ['gate                                            equal refused           worse passed  undecided', ...errors.map(rowOf)].join('\n'),
  )
  const own = errors.find(({ gate }) => gate === OWN_GATE)
  return pairs.length >= LEAST_PAIRS && own !== undefined && own.blocks.low <= RISK.falseBlock && own.misses.low <= RISK.miss
}

type JudgedPair = { readonly pair: Pair; readonly releases: readonly JudgedRelease[] }

type ErrorShare = { readonly value: number; readonly low: number; readonly high: number }

/** Parts of one pair share its models, so the 90 % interval is over pairs. */
function overPairs(judged: readonly JudgedPair[], truth: Pair['truth'], gate: string): ErrorShare {
  const shares = judged
    .filter(({ pair }) => pair.truth === truth)
    .map(({ releases }) => {
      const error = gateErrors(releases, RISK).find((each) => each.gate === gate)
      return (truth === 'equal' ? error?.falseBlock : error?.miss) ?? Number.NaN
    })
  const value = shares.reduce((sum, each) => sum + each, 0) / shares.length
  const variance = shares.reduce((sum, each) => sum + (each - value) ** 2, 0) / (shares.length - 1)
  const reach = studentQuantile(0.95, shares.length - 1) * Math.sqrt(variance / shares.length)
  // No error in any pair does not mean that there is none.
  const high = value === 0 ? 1 - 0.05 ** (1 / shares.length) : Math.min(1, value + reach)
  return { value, low: Math.max(0, value - reach), high }
}

const shareText = ({ value, low, high }: ErrorShare): string =>
  `${(100 * value).toFixed(1)} % (${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)})`

type GateRow = { readonly gate: string; readonly undecided: number; readonly blocks: ErrorShare; readonly misses: ErrorShare }

const rowOf = ({ gate, undecided, blocks, misses }: GateRow): string =>
  `${gate.padEnd(38)} ${shareText(blocks).padStart(22)} ${shareText(misses).padStart(22)} ${`${(100 * undecided).toFixed(1)} %`.padStart(10)}`

type SmallModel = { readonly scores: Uint8Array; readonly kind: string; readonly worse: Uint8Array }

/** Trained once for a program and its settings. */
async function trainedModels(): Promise<readonly SmallModel[]> {
  const digest = sha256(JSON.stringify([readFileSync(PROGRAM, 'utf8'), SETTINGS])).slice(0, 16)
  const [settings, out] = [join(CACHE, `${digest}.settings.json`), join(CACHE, `${digest}.json`)]
  if (!existsSync(out)) {
    mkdirSync(CACHE, { recursive: true })
    writeFileSync(settings, JSON.stringify(SETTINGS))
    // More threads only wait for each other at this size.
    const env = { ...process.env, OMP_NUM_THREADS: '1' }
    await promisify(execFile)(PYTHON, [PROGRAM, settings, `${out}.new`], { env })
    renameSync(`${out}.new`, out)
  }
  const { models }: { models: { scores: string; kind: string; worse: string }[] } = JSON.parse(readFileSync(out, 'utf8'))
  return models.map(({ scores, kind, worse }) => ({ scores: bitsOf(scores), kind, worse: bitsOf(worse) }))
}

function bitsOf(hexadecimal: string): Uint8Array {
  const bytes = Buffer.from(hexadecimal, 'hex')
  return Uint8Array.from({ length: ITEMS }, (_, index) => ((bytes[index >> 3] as number) >> (7 - (index & 7))) & 1)
}

/** On the first half of the items. */
function truthOf(scores: Uint8Array): number {
  let sum = 0
  for (let item = 0; item < ITEMS / 2; item += 1) sum += scores[item] as number
  return sum / (ITEMS / 2)
}

/** Neighbours in the order of their truth, each model in one pair; the new one is never worse. */
function equalPairs(models: readonly SmallModel[]): readonly Pair[] {
  const sorted = models.map(({ scores }) => ({ scores, truth: truthOf(scores) })).toSorted((a, b) => a.truth - b.truth)
  return sorted.flatMap((after, index): Pair[] => {
    const before = sorted[index - 1]
    const margin = MARGINS[index % MARGINS.length] as number
    if (index % 2 === 0 || !before || after.truth - before.truth > MOST_APART) return []
    const difference = after.truth - before.truth
    return [{ kind: 'seeds', truth: 'equal', margin, difference, before: before.scores, after: after.scores }]
  })
}

function worsePairs(models: readonly SmallModel[]): readonly Pair[] {
  return models.flatMap(({ scores, kind, worse }): Pair[] => {
    const difference = truthOf(worse) - truthOf(scores)
    if (-difference < LOSSES.least || -difference > LOSSES.most) return []
    return [{ kind, truth: 'worse', margin: -difference, difference, before: scores, after: worse }]
  })
}

/** As many items as are planned for a pair that differs by what a pilot says, at its upper end. */
function partsOf({ truth, margin, before, after }: Pair): readonly JudgedRelease[] {
  const first = ITEMS / 2
  const scoreAt = (item: number): JudgedRelease['scores'][number] => ({ before: before[item] as number, after: after[item] as number })
  const pilot = Array.from({ length: PILOT_ITEMS }, (_, index) => scoreAt(first + index)).filter((own) => own.before !== own.after).length
  const differing = (pilot + 0.5) / (PILOT_ITEMS + 1)
  const items = Math.ceil(
    pairedItems.of({
      differing: scalar(Math.max(margin, differing + Math.sqrt((differing * (1 - differing)) / PILOT_ITEMS))),
      margin: scalar(margin),
      designEffect: scalar(1),
      zAlpha: scalar(normalQuantile(1 - RISK.falseBlock)),
      zBeta: scalar(normalQuantile(1 - RISK.miss)),
    }),
  )
  const begin = first + PILOT_ITEMS
  return Array.from({ length: Math.min(MOST_PARTS, Math.floor((ITEMS - begin) / items)) }, (_, part) => ({
    truth,
    margin,
    scores: Array.from({ length: items }, (__, index) => scoreAt(begin + part * items + index)),
  }))
}

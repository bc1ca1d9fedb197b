// What came out of a build against what was planted.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { qualityFault } from '@ironlaw/text'
import { type BandShape, type Finding, precisionOf, recallBins, recallOf, runsOf, similarityOf } from './brute-force.ts'
import { linesOut } from './builds.ts'
import { privateDatum, textOf } from './document-lines.ts'
import { type Corpus, documentNumber, plannedDocument } from './documents.ts'
import { figure, type Goal, none } from './goals.ts'
import { hashOf } from './prose.ts'

export const SHAPE: BandShape = { bands: 14, rows: 8 }
/** Similarity from which found pairs count as right. */
export const ALIKE = 0.7
const TOLERANCE = 0.02
/** Rules of the build. */
export const QUALITY = ['gopher-quality', 'gopher-repetition', 'fineweb'] as const
/** Of good texts: that chance may make break a rule. More would mean a rule that is too strict. */
const MOST_UNLUCKY = 1e-5
const MOST_BRUTE_FORCE = 20_000
const ID = /"id":"(d\d{10})"/

type Outcome = {
  /** By number of the document: whether it came out. */
  readonly kept: Uint8Array
  /** By number of the document: the rule by which it was set aside. */
  readonly aside: ReadonlyMap<number, string>
  /** Documents that came out twice, or are none of the corpus. */
  readonly strange: readonly string[]
  /** Documents that still hold the private datum they were given. */
  readonly leaks: readonly string[]
}

function keepLine(
  corpus: Corpus,
  line: string,
  outcome: { readonly kept: Uint8Array; readonly strange: string[]; readonly leaks: string[] },
): void {
  const id = ID.exec(line)?.[1]
  // Real text has ids of its own.
  if (id === undefined) return
  const document = documentNumber(id)
  if (document >= corpus.documents || outcome.kept[document] === 1) outcome.strange.push(id)
  outcome.kept[document] = 1
  const planned = plannedDocument(corpus, document)
  if (planned.kind === 'private' && line.includes(privateDatum(planned))) outcome.leaks.push(`${id} ${planned.data}`)
}

export async function outcomeOf(corpus: Corpus, to: string): Promise<Outcome> {
  const outcome = {
    kept: new Uint8Array(corpus.documents),
    aside: new Map<number, string>(),
    strange: [] as string[],
    leaks: [] as string[],
  }
  for (const line of linesOut(to)) keepLine(corpus, line, outcome)
  for await (const line of createInterface({ input: createReadStream(`${to}.set-aside.jsonl`) })) {
    const { rule, content } = JSON.parse(line) as { readonly rule: string; readonly content: unknown }
    const id = ID.exec(typeof content === 'string' ? content : JSON.stringify(content))?.[1]
    if (id === undefined) outcome.strange.push(line.slice(0, 80))
    else outcome.aside.set(documentNumber(id), rule)
  }
  return outcome
}

/** Rules that a planted violation may be set aside by. */
const RULES = {
  'missing-text': /^text\.(?:required|type)$/,
  'wrong-type': /^text\.type$/,
  'too-short': /^text\.least$/,
  'not-utf-8': /^readable$/,
  'broken-json': /^readable$/,
  poisoned: /^text\.without$/,
} as const

/** Chance breaks a rule in a few texts of millions; those are rightly dropped. */
const breaksARule = (corpus: Corpus, document: number): boolean => qualityFault(textOf(corpus, document), [...QUALITY]) !== undefined

type Counted = { readonly of: Record<string, number>; readonly wrong: Record<string, string[]> }

function judge(
  corpus: Corpus,
  { kept, aside }: Outcome,
): Counted & {
  readonly clusters: Map<number, number>
  readonly families: Map<number, [number, number]>
  readonly chance: readonly string[]
} {
  const of: Record<string, number> = {}
  const wrong: Record<string, string[]> = {}
  const clusters = new Map<number, number>()
  const families = new Map<number, [number, number]>()
  const chance: string[] = []
  const expectation = (what: string, id: string, isRight: boolean): void => {
    of[what] = (of[what] ?? 0) + 1
    wrong[what] ??= []
    if (!isRight) wrong[what].push(id)
  }
  for (let document = 0; document < corpus.documents; document += 1) {
    const planned = plannedDocument(corpus, document)
    const isKept = kept[document] === 1
    const { id } = planned
    const isUnlucky = (): boolean => {
      const unlucky = breaksARule(corpus, document)
      if (unlucky) chance.push(id)
      return unlucky
    }
    if (planned.kind === 'broken' || planned.kind === 'poisoned') {
      const rule = planned.kind === 'broken' ? planned.rule : 'poisoned'
      expectation(
        planned.kind === 'broken' ? 'violations not set aside by their rule' : 'poisoned documents not set aside',
        id,
        !isKept && RULES[rule].test(aside.get(document) ?? ''),
      )
      continue
    }
    expectation('sound documents set aside', id, !aside.has(document))
    if (planned.kind === 'copy') clusters.set(planned.cluster, (clusters.get(planned.cluster) ?? 0) + Number(isKept))
    else if (planned.kind === 'near') {
      const both = families.get(planned.family) ?? [0, 0]
      both[planned.changed ? 1 : 0] = document + 1
      families.set(planned.family, both)
    } else if (planned.kind === 'low-quality') expectation('low-quality documents that came out', `${id} ${planned.rule}`, !isKept)
    else if (planned.kind === 'contaminated') expectation('contaminated documents that came out', `${id} ${planned.disguise}`, !isKept)
    else if (planned.kind === 'private' || planned.language === 'en')
      expectation('unique documents that were lost', id, isKept || isUnlucky())
    else expectation('documents in other languages that came out', `${id} ${planned.language}`, !isKept)
  }
  return { of, wrong, clusters, families, chance }
}

/** Exact similarity of planted pairs, and whether one of the two was dropped for the other. */
function plantedFindings(corpus: Corpus, { kept }: Outcome, families: ReadonlyMap<number, readonly [number, number]>): Finding[] {
  const share = Math.min(1, MOST_BRUTE_FORCE / families.size)
  return [...families]
    .filter(([family]) => hashOf(corpus.seed, family, 11) / 2 ** 32 < share)
    .map(([, [base, changed]]) => ({
      similarity: similarityOf(runsOf(textOf(corpus, base - 1)), runsOf(textOf(corpus, changed - 1))),
      found: (kept[base - 1] as number) + (kept[changed - 1] as number) === 1,
    }))
}

/** Found share against the law over all pairs, and by similarity as far as chance allows. */
export function recallGoals(what: string, findings: readonly Finding[]): Goal[] {
  const all = recallOf(findings, SHAPE)
  const precision = precisionOf(findings, { ...SHAPE, least: ALIKE })
  const within = (measured: number, law: number): Pick<Goal, 'measured' | 'goal' | 'isMet'> => ({
    measured: measured.toFixed(3),
    goal: `${law.toFixed(3)} by the law, within ${TOLERANCE}`,
    isMet: Math.abs(measured - law) <= TOLERANCE,
  })
  return [
    { what: `${what}: recall over ${all.pairs} pairs`, ...within(all.found, all.law) },
    ...recallBins(findings, SHAPE).map(({ from, pairs, found, law, chance }) => ({
      what: `${what}: recall from ${from.toFixed(2)} (${pairs} pairs)`,
      measured: found.toFixed(3),
      goal: `${law.toFixed(3)} by the law, within ${TOLERANCE} and chance (${chance.toFixed(3)})`,
      isMet: Math.abs(found - law) <= TOLERANCE + chance,
    })),
    {
      what: `${what}: of ${precision.pairs} found pairs those from 0.7 on (chance ${precision.chance.toFixed(3)})`,
      ...within(precision.found, precision.law),
    },
  ]
}

const unluckyGoal = (unlucky: readonly string[], of: number): Goal => ({
  what: 'unique documents and pairs whose text breaks a rule by chance',
  measured: `${unlucky.length} of ${of}`,
  goal: `at most ${Math.floor(MOST_UNLUCKY * of)}`,
  isMet: unlucky.length <= MOST_UNLUCKY * of,
})

export function truthGoals(corpus: Corpus, outcome: Outcome): Goal[] {
  const { of, wrong, clusters, families, chance } = judge(corpus, outcome)
  const { kept, strange, leaks } = outcome
  const absent = [...families].filter(([, [base, changed]]) => (kept[base - 1] as number) + (kept[changed - 1] as number) === 0)
  const unlucky = absent.filter(([, both]) => both.every((place) => breaksARule(corpus, place - 1)))
  const lost = absent.filter((family) => !unlucky.includes(family))
  return [
    ...Object.entries(wrong).map(([what, found]) => none(what, found, of[what] ?? 0)),
    unluckyGoal([...chance, ...unlucky.map(([family]) => `pair ${family}`)], of['unique documents that were lost'] ?? 0),
    none(
      'clusters of copies without exactly one that came out',
      [...clusters].filter(([, count]) => count !== 1).map(([cluster, count]) => `${cluster} has ${count}`),
      clusters.size,
    ),
    none(
      'pairs of near-duplicates that were lost whole',
      lost.map(([family]) => String(family)),
      families.size,
    ),
    none('documents that came out twice or from nowhere', strange, corpus.documents),
    none('personal data that came out', leaks, of['unique documents that were lost'] ?? 0),
    figure('largest cluster of copies', String(largestCluster(corpus))),
    ...recallGoals('planted', plantedFindings(corpus, outcome, families)),
  ]
}

function largestCluster(corpus: Corpus): number {
  let count = 0
  for (let document = 0; document < corpus.documents; document += 1) {
    const planned = plannedDocument(corpus, document)
    if (planned.kind === 'copy' && planned.cluster === 0) count += 1
  }
  return count
}

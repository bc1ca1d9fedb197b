// Two models by the same instrument on the same items: whether the second may replace the first.

import type { Instrument } from '@ironlaw/contracts/evaluation'
import type { ItemResult } from '@ironlaw/contracts/evaluation-items'
import { fixedInformation, informationOf } from './information.ts'
import { type DifferenceJudgement, type EvaluationVerdict, type GateRule, judgeSlices, verdictOfAll } from './judge-difference.ts'
import { stageJudge } from './judge-stage.ts'
import { pairedDifference, type PairedDifference } from './paired-scores.ts'
import { sliceResults } from './scoring/result-parts.ts'

export type InstrumentDifference = { readonly field: string; readonly before: string; readonly after: string }

const ABSENT = 'not said'

/** Fields of the instrument that differ, by their paths. */
export function instrumentDifferences(before: Instrument, after: Instrument): readonly InstrumentDifference[] {
  const [one, other] = [new Map(fieldsOf(before, '')), new Map(fieldsOf(after, ''))]
  return [...new Set([...one.keys(), ...other.keys()])]
    .map((field) => ({ field, before: one.get(field) ?? ABSENT, after: other.get(field) ?? ABSENT }))
    .filter((each) => each.before !== each.after)
}

const fieldsOf = (value: object, prefix: string): readonly (readonly [string, string])[] =>
  Object.entries(value).flatMap(([name, own]: readonly [string, unknown]) =>
    typeof own === 'object' && own !== null ? fieldsOf(own, `${prefix}${name}.`) : [[`${prefix}${name}`, String(own)] as const],
  )

export type ComparisonRule = GateRule & {
  /** Candidates that the items judge: both risks are divided among them. */
  readonly looks: number
  readonly slices: readonly string[]
}

export type ComparisonVerdict = 'better' | EvaluationVerdict

/** Without a slice it is about all items. */
export type ComparedPart = DifferenceJudgement & {
  readonly slice?: string
  readonly value?: string
  readonly items: number
  /** Share of the items whose score differs. */
  readonly differing: number
  /** What would have been seen with both risks; a smaller drop may pass unseen. */
  readonly smallestDrop: number
}

export type Comparison = { readonly verdict: ComparisonVerdict; readonly parts: readonly ComparedPart[] }

/** One slice that is worse suffices to refuse. One that is undecided is shown: most slices are too small to decide by themselves. */
export function compareResults(before: readonly ItemResult[], after: readonly ItemResult[], rule: ComparisonRule): Comparison {
  return comparisonOf({ before, after }, rule, (seen) => judgeSlices(seen, riskOfOne(rule)))
}

/** The same of an evaluation that may stop: `after` holds the items up to the end of a stage, and the risks are those of all stages together. */
export function compareStage(results: ComparedResults, rule: ComparisonRule, stage: number): Comparison {
  return comparisonOf(results, rule, (seen) => judgeSlices(seen, riskOfOne(rule), (each) => stageJudge(each, stage)))
}

export type ComparedResults = { readonly before: readonly ItemResult[]; readonly after: readonly ItemResult[] }

type JudgeParts = (seen: ReadonlyMap<string, PairedDifference>) => ReadonlyMap<string, DifferenceJudgement>

function comparisonOf({ before, after }: ComparedResults, rule: ComparisonRule, judge: JudgeParts): Comparison {
  const scores = new Map(before.map(({ id, score }) => [id, score]))
  const differences = (results: readonly ItemResult[]): readonly ItemDifference[] =>
    results.flatMap(({ id, score, cluster }) => {
      const earlier = scores.get(id)
      return earlier === undefined ? [] : [{ before: earlier, after: score, ...(cluster !== undefined && { cluster }) }]
    })
  const parts = [{ results: after }, ...sliceResults(after, rule.slices)].map((part) => ({ part, scores: differences(part.results) }))
  const seen = new Map(parts.map(({ scores: own }, index) => [String(index), pairedDifference(own)]))
  const judged = judge(seen)
  const compared = parts.flatMap(({ part, scores: own }, index): readonly ComparedPart[] => {
    const [judgement, difference] = [judged.get(String(index)), seen.get(String(index))]
    if (!judgement || !difference) return []
    const { results: _, ...name } = part
    return [{ ...name, ...judgement, items: own.length, differing: differingOf(own), smallestDrop: smallestDrop(difference, rule) }]
  })
  const [all, ...slices] = compared
  return { verdict: all ? verdictOf(all, slices) : 'undecided', parts: compared }
}

type ItemDifference = { readonly before: number; readonly after: number; readonly cluster?: string }

const differingOf = (scores: readonly ItemDifference[]): number =>
  scores.filter(({ before, after }) => before !== after).length / Math.max(1, scores.length)

function verdictOf(all: ComparedPart, slices: readonly ComparedPart[]): ComparisonVerdict {
  if (verdictOfAll(slices) === 'worse') return 'worse'
  return all.verdict === 'as-good' && all.bounds.low > 0 ? 'better' : all.verdict
}

/** What each of several looks may risk, so that all of them together risk what was asked for. */
export const riskOfOne = ({ margin, risk, looks }: Pick<ComparisonRule, 'margin' | 'risk' | 'looks'>): GateRule => ({
  margin,
  risk: { falseBlock: risk.falseBlock / looks, miss: risk.miss / looks },
})

const smallestDrop = (seen: PairedDifference, rule: ComparisonRule): number =>
  Math.min(1, Math.sqrt(fixedInformation({ ...riskOfOne(rule), margin: 1 }) / informationOf(seen)))

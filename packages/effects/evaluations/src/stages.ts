// An evaluation against another one, which ends as soon as its verdict is sure. Items are asked in a random order, and after each stage those up
// to its end are judged, whatever else was answered by then: the verdict does not depend on how many are asked at a time.

import { IronlawError } from '@ironlaw/contracts'
import type { EvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import type { Evaluation } from '@ironlaw/contracts/evaluation'
import type { ItemResult } from '@ironlaw/contracts/evaluation-items'
import { askingOrder, compareStage, stageItems } from '@ironlaw/policies/evaluation'
import { checkComparable, checkWhole } from './comparable.ts'
import type { ReadEvaluation } from './evaluation-files.ts'
import type { Prepared } from './prepare.ts'

export type Against = {
  readonly base: ReadEvaluation
  /** Fields of the instrument that may differ. */
  readonly across: readonly string[]
}

type Found = ReadonlyMap<string, ItemResult>

/** A verdict, and what it is of. */
export type StageEnd = { readonly judged: Found; readonly record: NonNullable<Evaluation['sequential']> }

export type Stages = {
  readonly order: Prepared['items']
  /** Absent while no verdict is sure and items are missing. */
  readonly endOf: (found: Found) => StageEnd | undefined
}

export function openStages({ spec, items, itemsDigest, instrument }: Prepared, seed: string, { base, across }: Against): Stages {
  checkSpec(spec)
  checkComparable(base.evaluation, { instrument, items: { digest: itemsDigest, count: items.length } }, { across })
  checkWhole(base.evaluation)
  const order = askingOrder(items, seed)
  const ends = stageItems(order.length)
  const judge = judgeOf(spec, base)
  let [reached, stage] = [0, 0]
  let ended: StageEnd | undefined
  return {
    order,
    endOf: (found) => {
      for (; found.has(order[reached]?.id ?? ''); reached += 1);
      for (; !ended && stage < ends.length && (ends[stage] ?? 0) <= reached; stage += 1) {
        const asked = ends[stage] ?? 0
        const judged = order.slice(0, asked).flatMap(({ id }) => found.get(id) ?? [])
        const record = judge(judged, stage + 1)
        const isEnd = record.verdict !== 'undecided' || asked === order.length
        if (isEnd) ended = { judged: new Map(judged.map((result) => [result.id, result])), record }
      }
      return ended
    },
  }
}

function judgeOf({ margin, risk, looks, slices }: EvaluateSpec, base: ReadEvaluation) {
  const rule = { margin, risk: { falseBlock: risk.false_block, miss: risk.miss }, looks, slices }
  const against = { model: base.evaluation.model.id, results: base.evaluation.results }
  return (after: readonly ItemResult[], stage: number): StageEnd['record'] => {
    const { verdict, parts } = compareStage({ before: base.results, after }, rule, stage)
    const [all] = parts
    if (!all) throw new Error('a comparison has a part of all items')
    return { against, stage, asked: after.length, margin, risk, looks, verdict, difference: { value: all.difference, ...all.bounds } }
  }
}

/** Why an evaluation by this spec cannot stop early; absent where it can. */
export function needsAllItems({ task, repeats }: EvaluateSpec): string | undefined {
  if (task === 'prediction') return 'task prediction asks nothing that could be left out'
  if (task === 'judged') return 'what the judge of task judged sees of a difference is known only after all items'
  return repeats > 1 ? `the spec repeats all items ${repeats} times` : undefined
}

function checkSpec(spec: EvaluateSpec): void {
  const reason = needsAllItems(spec)
  if (reason === undefined) return
  throw new IronlawError(
    'IL_USAGE',
    { problem: `--against: ${reason}`, command: 'evaluate run' },
    { next: 'evaluate without --against, then "ironlaw evaluate compare"' },
  )
}

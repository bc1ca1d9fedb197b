// Two runs: what they were made of, and what of their results is beyond noise.

import type { ResultDifference, RunDiff } from '@ironlaw/contracts/run-diff'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { findNewestRun } from './find-run.ts'

/** Undefined where one of them is no run. */
export async function runDiffAnswer(before: string, after: string): Promise<CommandAnswer | undefined> {
  const to = context()
  const [first, second] = await Promise.all([findNewestRun(to, before), findNewestRun(to, after)])
  if (!first || !second) return undefined
  const diff = await api(to).diffRuns({ id: first.id, other: second.id })
  return { json: diff, text: () => runDiffText(diff) }
}

export function runDiffText({ from, to, same_recipe, unknown, differences, more, results }: RunDiff): string {
  return [
    `${paint('bold', `${from} -> ${to}`)}: ${same_recipe ? 'the same recipe, but for the seed' : differences.length === 0 ? 'no difference is known' : 'different recipes'}`,
    ...unknown.map(({ run, part }) => `${run} does not say its ${part}, which may differ`),
    ...(differences.length === 0
      ? []
      : [
          '',
          table(
            ['PART', 'FIELD', 'BEFORE', 'AFTER'],
            differences.map(({ part, field, before, after }) => [part, field, valueText(before), valueText(after)]),
          ),
        ]),
    ...(more > 0 ? [`${more.toLocaleString('en')} more differences`] : []),
    ...(results.length === 0 ? ['', 'neither has results to compare yet'] : ['', resultTable(results)]),
  ].join('\n')
}

const resultTable = (results: readonly ResultDifference[]): string =>
  table(
    ['RESULT', 'BEFORE', 'AFTER', 'DIFFERENCE', '90 % INTERVAL', 'VERDICT'],
    results.map(({ measure, unit, before, after, difference, judged }) => [
      measure,
      `${numberText(before)} ${unit}`,
      `${numberText(after)} ${unit}`,
      `${difference > 0 ? '+' : ''}${numberText(difference)}`,
      judged ? `${numberText(judged.low)} to ${numberText(judged.high)}` : '',
      judged ? verdictText(judged) : 'not judged',
    ]),
    [1, 2, 3, 4],
  )

function verdictText({ verdict, from, count }: NonNullable<ResultDifference['judged']>): string {
  if (from === 'repetitions') return `${verdict}, by ${count} runs of these recipes`
  if (verdict === 'within noise') return `within the noise of ${count} steps`
  return `beyond the noise of ${count} steps; one run each, noise between seeds unknown`
}

const numberText = (value: number): string => Number(value.toPrecision(4)).toLocaleString('en', { maximumSignificantDigits: 4 })

const MOST_SHOWN = 60

function valueText(value: unknown): string {
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}

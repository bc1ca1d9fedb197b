// `ironlaw evaluate run`: all items of an evaluation spec asked of an engine.

import { resolve } from 'node:path'
import type { Evaluation, EvaluationInterval } from '@ironlaw/contracts/evaluation'
import { runEvaluation } from '@ironlaw/evaluations'
import { seconds, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { progressLine } from '../progress.ts'
import { table } from '../table.ts'
import { type EngineFlags, withEvaluation } from './evaluation-source.ts'

export type EvaluateFlags = EngineFlags & { readonly to?: string; readonly keepTexts?: true }

export async function runEvaluationAnswer(file: string, flags: EvaluateFlags): Promise<CommandAnswer> {
  return await withEvaluation(file, flags, async (request) => {
    const to = resolve(flags.to ?? request.spec.name)
    const line = progressLine('items')
    const evaluation = await runEvaluation({ ...request, to, keepTexts: flags.keepTexts === true, onItem: () => line.tick(1) }).finally(
      line.clear,
    )
    const violation = violationOf(evaluation)
    return { json: { to, evaluation }, text: () => evaluationText(evaluation, to), ...(violation && { exit: 3, violation }) }
  })
}

const figure = (value: number): string => (Math.abs(value) < 10 ? value.toFixed(3) : value.toPrecision(4))
const between = ({ low, high }: EvaluationInterval): string => `${figure(low)} to ${figure(high)}`

/** A share that nothing is known of is no answer. */
function violationOf({ judge }: Evaluation): CommandAnswer['violation'] {
  if (judge?.refused === undefined) return undefined
  return {
    problem: `the judge is not corrected: ${judge.refused}`,
    next: 'label more answers of the items (labelled), or use a better judge',
  }
}

/** What is right by the judge comes first, then what that means. */
const judgeRows = (judge: Evaluation['judge']): readonly (readonly string[])[] =>
  (['corrected', 'agreement', 'sensitivity', 'specificity', 'position'] as const).flatMap((name) => {
    const interval = judge?.[name]
    const labelled = judge ? judge.labelled.right + judge.labelled.wrong : 0
    const counted = name === 'corrected' || name === 'position' ? '' : labelled.toLocaleString('en')
    return interval ? [[`judge: ${name}`, counted, figure(interval.value), between(interval)]] : []
  })

function evaluationText(evaluation: Evaluation, to: string): string {
  const { name, model, items, instrument, score, metrics, slices, repeats, tokens_in, tokens_out, time_s } = evaluation
  const rows = [
    ...Object.entries(metrics).map(([metric, interval]) => [metric, '', figure(interval.value), between(interval)]),
    ...judgeRows(evaluation.judge),
    ...slices.map((each) => [
      `${each.slice}: ${each.value}`,
      each.items.toLocaleString('en'),
      figure(each.score.value),
      between(each.score),
    ]),
  ]
  const by = [instrument.engine, instrument.version, instrument.quantization].filter(Boolean).join(' ')
  return [
    `${name}: ${model.id} on ${items.count.toLocaleString('en')} items by ${by}, instrument ${evaluation.instrument_digest.slice(0, 12)}`,
    '',
    table(
      ['', 'items', '', '90 %'],
      [[`score (${instrument.metric})`, items.count.toLocaleString('en'), figure(score.value), between(score)], ...rows],
      [1, 2],
    ),
    '',
    ...(repeats.differing === undefined
      ? []
      : [
          `${(100 * repeats.differing).toFixed(1)} % of the items differ between two of ${repeats.count} repeats: the noise of the instrument`,
        ]),
    ...(tokens_in + tokens_out > 0
      ? [`${tokens_in.toLocaleString('en')} tokens read, ${tokens_out.toLocaleString('en')} generated in ${show(seconds(time_s), 's')}`]
      : []),
    `evaluation in ${to}`,
  ].join('\n')
}

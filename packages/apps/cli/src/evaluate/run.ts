// `ironlaw evaluate run`: the items of an evaluation spec asked of an engine, all of them or until a verdict is sure.

import { resolve } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { type Evaluation, type EvaluationInterval, itemsAsked } from '@ironlaw/contracts/evaluation'
import { type Against, readEvaluation, runEvaluation } from '@ironlaw/evaluations'
import { seconds, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { progressLine } from '../progress.ts'
import { table } from '../table.ts'
import { comparisonAnswer } from './compare.ts'
import { stagedComparison } from './comparable.ts'
import { type EngineFlags, withEvaluation } from './evaluation-source.ts'

export type EvaluateFlags = EngineFlags & {
  readonly to?: string
  readonly keepTexts?: true
  readonly against?: string
  readonly across?: readonly string[]
}

export async function runEvaluationAnswer(file: string, flags: EvaluateFlags): Promise<CommandAnswer> {
  const against = await againstOf(flags)
  return await withEvaluation(file, flags, async (request) => {
    const to = resolve(flags.to ?? request.spec.name)
    const line = progressLine('items')
    const asked = { ...request, to, keepTexts: flags.keepTexts === true, ...(against && { against }) }
    const evaluation = await runEvaluation({ ...asked, onItem: () => line.tick(1) }).finally(line.clear)
    const own = answerOf(evaluation, to)
    return against ? await withVerdict(own, against, to) : own
  })
}

async function againstOf({ against, across }: EvaluateFlags): Promise<Against | undefined> {
  if (against !== undefined) return { base: await readEvaluation(against), across: across ?? [] }
  if (across === undefined) return undefined
  throw new IronlawError('IL_USAGE', { problem: '--across: nothing is compared without --against', command: 'evaluate run' })
}

function answerOf(evaluation: Evaluation, to: string): CommandAnswer {
  const violation = violationOf(evaluation)
  return { json: { to, evaluation }, text: () => evaluationText(evaluation, to), ...(violation && { exit: 3, violation }) }
}

/** Followed by what `ironlaw evaluate compare` says of what was written. */
async function withVerdict(own: CommandAnswer, { base }: Against, to: string): Promise<CommandAnswer> {
  const after = await readEvaluation(to)
  const { json, text, violation } = comparisonAnswer({ before: base, after }, stagedComparison(base, after))
  const problem = own.violation ?? violation
  return {
    json: { to, evaluation: after.evaluation, comparison: json },
    text: () => `${own.text()}\n\n${text()}`,
    ...(problem && { exit: 3, violation: problem }),
  }
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

export function evaluationText(evaluation: Evaluation, to: string): string {
  const { name, model, instrument, score, metrics, slices, repeats, tokens_in, tokens_out, time_s } = evaluation
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
    `${name}: ${model.id} on ${itemsAsked(evaluation).toLocaleString('en')} items by ${by}, instrument ${evaluation.instrument_digest.slice(0, 12)}`,
    '',
    table(
      ['', 'items', '', '90 %'],
      [[`score (${instrument.metric})`, itemsAsked(evaluation).toLocaleString('en'), figure(score.value), between(score)], ...rows],
      [1, 2],
    ),
    '',
    ...(repeats.differing === undefined
      ? []
      : [
          `${(100 * repeats.differing).toFixed(1)} % of the items differ between two of ${repeats.count} repeats: the noise of the instrument`,
        ]),
    ...(tokens_in + tokens_out > 0
      ? [
          `${tokens_in.toLocaleString('en')} tokens read, ${tokens_out.toLocaleString('en')} generated${time_s === undefined ? '' : ` in ${show(seconds(time_s), 's')}`}`,
        ]
      : []),
    `evaluation in ${to}`,
  ].join('\n')
}

// Measured compared with predicted, as text.

import type { ServedFigure } from '@ironlaw/simulator/serving'
import { showChange } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import type { ComparisonResult, ComparedFigure, CalibrationFeedback } from './bench-against-engine.ts'
import { servingLedgerText, showTime } from '../ledger/serving-ledger-text.ts'

const NAMES: Readonly<Record<ServedFigure, string>> = {
  'ttft p50': 'first token p50',
  'ttft p95': 'first token p95',
  'tpot p50': 'per token p50',
  'tpot p95': 'per token p95',
  'tokens/s': 'tokens a second',
}

export function comparisonText(against: ComparisonResult): string {
  const { engine, version, replicas, router, one_machine } = against
  const where = replicas === 1 ? '1 replica' : `${replicas} replicas ${one_machine ? 'on one machine' : 'on a machine each'}`
  const head = `the same requests through the simulator: ${paint('bold', engine)} as measured (version ${version}), ${where}, ${router}`
  if (against.answer === 'untold') return `${head}\n${paint('yellow', 'nothing to compare')}: ${against.why}`
  return [
    head,
    '',
    servingLedgerText(against.ledger),
    '',
    figuresTable(against.figures),
    '',
    paint('dim', `${showTime(against.network_s)} of network, gateway and client a request are taken from the warm-up, not predicted`),
    ...(against.feedback
      ? feedbackText(engine, against.feedback)
      : [paint('dim', `next: with --feedback such a measurement corrects ${engine}, as a new version`)]),
  ].join('\n')
}

const figuresTable = (figures: readonly ComparedFigure[]): string =>
  table(
    ['', 'measured', 'predicted', 'error'],
    figures.map(({ figure, measured, predicted, error }) => {
      const showValue = (value: number): string => (figure === 'tokens/s' ? value.toFixed(1) : showTime(value))
      return [NAMES[figure], showValue(measured), showValue(predicted), showChange(error)]
    }),
    [1, 2, 3],
  )

function feedbackText(engine: string, feedback: CalibrationFeedback): readonly string[] {
  if (!feedback.taught) return [`${paint('yellow', 'nothing learnt')}: ${feedback.why}`]
  const { factors, version, file } = feedback
  const times = (factor: number): string => `${factor.toFixed(2)} times`
  const sharing = factors.sharing.flatMap((factor, index) =>
    factor === 1 ? [] : [`${index + 1} busy on one machine ${times(factor)} as slow as before`],
  )
  return [
    `learnt: answers take ${times(factors.decode)} as long, prompts ${times(factors.prefill)}${sharing.map((each) => `, ${each}`).join('')}`,
    `version ${version} of ${engine} has it (${file}); "ironlaw calibrate --undo" undoes it`,
    paint('dim', 'next: measure again; the errors above predate the correction, and the requests behind it do not count'),
  ]
}

import { type Check, type ReliabilityValidation, validateReliability } from '@ironlaw/simulator/validation'
import type { CommandAnswer } from '../answer.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

export type ValidateReliabilityFlags = { readonly replicas: string; readonly seed: string }

/** Predicts the failures and goodput that published campaigns reported. */
export function validateReliabilityAnswer(flags: ValidateReliabilityFlags): CommandAnswer {
  const validation = validateReliability({ replicas: wholeNumber('--replicas', flags.replicas), seed: wholeNumber('--seed', flags.seed) })
  return { json: validation, text: () => text(validation) }
}

const BOUNDS = { above: '> ', 'at least': '>= ', below: '< ', about: '~ ' } as const

const showFigure = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en')
const interval = ({ low, high }: Check): string =>
  low === undefined || high === undefined ? '' : `${showFigure(low)} to ${showFigure(high)}`
const verdict = ({ inside }: Check): string => (inside === undefined ? '' : inside ? paint('green', 'inside') : paint('yellow', 'outside'))

function text({ checks, notScored, replicas }: ReliabilityValidation): string {
  const predictions = checks.filter(({ test, inside }) => test === 'prediction' && inside !== undefined)
  return [
    ...part(checks, 'prediction', 'Predicted from other clusters: nothing of the campaign goes in but its size and length'),
    '',
    ...part(checks, 'consistency', 'With the failure rate of the campaign itself: the arithmetic is checked, nothing is predicted'),
    '',
    `${predictions.filter(({ inside }) => inside).length} of ${predictions.length} predicted figures lie in their 90 % interval (${replicas} replicas)`,
    ...notes(checks),
    '',
    ...notScored.map(({ ids, why }) => paint('dim', `${ids.length} figures not scored: ${why}`)),
    paint('dim', 'inputs and their sources: --json'),
  ].join('\n')
}

function part(checks: readonly Check[], test: Check['test'], title: string): string[] {
  const rows = checks
    .filter((check) => check.test === test)
    .map((check) => [
      check.campaign,
      check.figure,
      `${check.bound === undefined ? '' : BOUNDS[check.bound]}${showFigure(check.published)} ${check.unit}`,
      showFigure(check.predicted),
      interval(check),
      verdict(check),
    ])
  return [paint('bold', title), '', table(['campaign', 'figure', 'published', 'predicted', '90 % interval', ''], rows, [2, 3, 4])]
}

const notes = (checks: readonly Check[]): string[] => [
  ...new Set(checks.flatMap(({ campaign, figure: of, note }) => (note === undefined ? [] : [`${campaign}, ${of}: ${note}`]))),
]

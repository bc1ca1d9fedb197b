// `ironlaw validate evaluations`: whether verdicts come as often as plans say they will.

import { type ForecastBin, simulateForecasts } from '@ironlaw/simulator'
import { showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

export type ValidateEvaluationsFlags = { readonly pairs: string; readonly seed: string }

/** What is said with 80 % should come in 75 to 85 %, and likewise elsewhere. */
const MOST_APART = 0.05
/** With fewer forecasts a bin says nothing. */
const LEAST_FORECASTS = 50

export function validateEvaluationsAnswer(flags: ValidateEvaluationsFlags): CommandAnswer {
  const pairs = wholeNumber('--pairs', flags.pairs)
  const seed = wholeNumber('--seed', flags.seed)
  const bins = simulateForecasts({ pairs, seed })
  const violation = exceeded(bins)
  return { json: { seed, pairs, forecasts: bins }, text: () => forecastText(pairs, bins), ...(violation && { exit: 3, violation }) }
}

/** Beyond what chance explains: three standard errors of a share. */
function exceeded(bins: readonly ForecastBin[]): CommandAnswer['violation'] {
  const wrong = bins.find(
    ({ forecasts, said, came }) =>
      forecasts >= LEAST_FORECASTS && Math.abs(said - came) > MOST_APART + 3 * Math.sqrt((said * (1 - said)) / forecasts),
  )
  return (
    wrong && {
      problem: `of verdicts said with ${showPercent(wrong.said)}, ${showPercent(wrong.came)} came`,
      next: 'run it again with another --seed; if it stays so, report it',
    }
  )
}

const forecastText = (pairs: number, bins: readonly ForecastBin[]): string =>
  [
    `verdicts as planned and as they came, of ${pairs.toLocaleString('en')} drawn pairs of models, three forecasts each:`,
    '',
    table(
      ['said to come with', 'forecasts', 'said', 'came'],
      bins.map(({ from, to, forecasts, said, came }) => [
        `${showPercent(from)} to ${showPercent(to)}`,
        forecasts.toLocaleString('en'),
        showPercent(said),
        showPercent(came),
      ]),
      [1, 2, 3],
    ),
  ].join('\n')

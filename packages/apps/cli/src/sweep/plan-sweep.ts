// `ironlaw plan` for a sweep: which trials there are, and what they take when those that are behind are stopped.

import { rungsOf, type TrialArguments } from '@ironlaw/policies/sweep'
import { sweepForecast } from '@ironlaw/simulator'
import { counted, dollars, seconds, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { readSweep, type Sweep, type SweepFlags } from './sweep-source.ts'

type Range = { readonly mean: number; readonly low: number; readonly high: number }

type SweepForecasts = {
  readonly rungs?: readonly number[]
  /** Of the steps that all trials would take together. */
  readonly steps_share?: Range
  readonly duration_s?: Range
  readonly cost_usd?: Range
}

export async function planSweepAnswer(file: string, flags: SweepFlags): Promise<CommandAnswer> {
  const sweep = await readSweep(file, flags)
  const forecast = forecastOf(sweep)
  const trials = sweep.trials.map(({ arguments: own }) => own)
  return {
    json: {
      name: sweep.spec.name,
      trials,
      atOnce: sweep.spec.atOnce,
      ...(sweep.steps !== undefined && { steps: sweep.steps }),
      ...forecast,
    },
    text: () => [sweepText(sweep, forecast), '', trialsText(trials)].join('\n'),
  }
}

/** What can be known before: without steps or a plan, less. */
export function forecastOf({ spec, trials, steps, predicted }: Sweep): SweepForecasts {
  if (steps === undefined) return {}
  const { stopping, atOnce } = spec
  const { steps_share, runs_long } = sweepForecast({ trials: trials.length, atOnce, total: steps, stopping })
  return {
    ...(stopping && { rungs: rungsOf(stopping, steps) }),
    steps_share,
    ...(predicted && { duration_s: times(runs_long, predicted.duration_s) }),
    ...(predicted?.cost_usd !== undefined && { cost_usd: times(steps_share, predicted.cost_usd * trials.length) }),
  }
}

const times = ({ mean, low, high }: Range, factor: number): Range => ({ mean: mean * factor, low: low * factor, high: high * factor })

/** What the user is about to confirm. */
export function sweepText({ spec, trials, predicted }: Sweep, { rungs, steps_share, duration_s, cost_usd }: SweepForecasts): string {
  const between = (range: Range, text: (value: number) => string): string =>
    `${text(range.mean)}  (90 %: ${text(range.low)} to ${text(range.high)})`
  return [
    `${paint('bold', spec.name)}: ${counted(trials.length, 'trial')} of ${spec.run}, ${spec.atOnce} at once`,
    ...(rungs && spec.stopping
      ? [`  compared after ${rungs.map((rung) => rung.toLocaleString('en')).join(', ')} steps; one in ${spec.stopping.factor} goes on`]
      : []),
    ...(steps_share && spec.stopping ? [`  steps      ${between(steps_share, percent)} of those of all trials run to their end`] : []),
    ...(duration_s ? [`  takes      ${between(duration_s, (value) => show(seconds(value), 's'))}`] : []),
    ...(cost_usd ? [`  costs      ${between(cost_usd, (value) => show(dollars(value), 'USD'))}`] : []),
    ...(predicted ? [] : ['  time and cost are unknown: a job is not planned']),
  ].join('\n')
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

function trialsText(trials: readonly TrialArguments[]): string {
  const names = Object.keys(trials[0] ?? {})
  return table(
    ['TRIAL', ...names],
    trials.map((own, trial) => [String(trial + 1), ...names.map((name) => String(own[name]))]),
    [0, ...names.map((_, index) => index + 1)],
  )
}

// `ironlaw validate alarms`: how often a watch alarms while nothing has shifted, and how soon it finds a shift, beside control limits as people write them.

import { type AlarmTrials, OWN_RULE, simulateAlarms } from '@ironlaw/simulator'
import { showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

export type ValidateAlarmsFlags = { readonly years: string; readonly seed: string }

/** False alarms a month that the budget allows. */
const ALLOWED = 1
/** Of shifts that are found in the time foretold; the interval is one of 90 %. */
const LEAST_WITHIN = 0.8

export function validateAlarmsAnswer(flags: ValidateAlarmsFlags): CommandAnswer {
  const years = wholeNumber('--years', flags.years)
  const seed = wholeNumber('--seed', flags.seed)
  const trials = simulateAlarms({ years, seed })
  const violation = violationOf(trials)
  return { json: { seed, ...jsonOf(trials) }, text: () => alarmsText(trials), ...(violation && { exit: 3, violation }) }
}

function violationOf({ rules, delays }: AlarmTrials): { readonly problem: string; readonly next: string } | undefined {
  const own = rules.find(({ rule }) => rule === OWN_RULE)?.aMonth ?? 0
  const next = 'run it again with another --seed; if it stays so, report it'
  if (own > ALLOWED) return { problem: `${own.toFixed(2)} false alarms a month, ${ALLOWED} is allowed`, next }
  // Three standard errors below: a few years say little of a share.
  const least = LEAST_WITHIN - 3 * Math.sqrt((LEAST_WITHIN * (1 - LEAST_WITHIN)) / Math.max(1, delays.shifts))
  return delays.within >= least ? undefined : { problem: `${showPercent(delays.within)} of shifts were found in the time foretold`, next }
}

const jsonOf = ({ years, features, watched, streams, rules, delays }: AlarmTrials): object => ({
  years,
  features,
  watched,
  streams,
  rules: rules.map(({ rule, aMonth }) => ({ rule, false_alarms_a_month: aMonth })),
  delays: { shifts: delays.shifts, within: delays.within, median_h: delays.median, foretold_h: delays.foretold },
})

const alarmsText = ({ years, features, watched, streams, rules, delays }: AlarmTrials): string =>
  [
    `${years} years of ${features} features, hour by hour, with seasons of the day and the week, wandering and bursts; four weeks before each are the reference,`,
    `which was enough to watch ${watched} of ${streams} for a shift of 0.2 standard deviations that lasts 8 hours`,
    '',
    table(
      ['alarm by', 'false alarms a month'],
      rules.map(({ rule, aMonth }) => [rule, aMonth.toFixed(2)]),
      [1],
    ),
    '',
    `a shift of 0.2 standard deviations was found after ${delays.median} h in the median, foretold ${delays.foretold} h; ${showPercent(delays.within)} of ${delays.shifts} within the 90 % interval`,
  ].join('\n')

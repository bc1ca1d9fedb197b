// The arguments of each trial. Ranges are covered by points that keep away from each other (the additive recurrence with the generalised golden
// ratio, M. Roberts 2018), which finds good values in fewer trials than chance does (O. Bousquet et al., "Critical hyper-parameters: no random, no
// cry", 2017). A trial depends on its number only: more trials later leave the first ones as they are.

import type { ArgumentValue, SweepSpec, VariedArgument } from '@ironlaw/contracts/sweep-spec'
import { combinations } from '@ironlaw/contracts/sweep-spec'

export type TrialArguments = Readonly<Record<string, ArgumentValue>>

const FIGURES = 4

export function trialArguments({ arguments: varied, trials }: Pick<SweepSpec, 'arguments' | 'trials'>): readonly TrialArguments[] {
  const all = combinations(varied)
  const count = trials ?? all ?? 0
  // A list that is asked for whole is taken in order, and each combination once.
  if (all !== undefined && count >= all) return Array.from({ length: all }, (_, trial) => combination(varied, trial))
  const names = Object.keys(varied)
  const steps = recurrence(names.length)
  return Array.from({ length: count }, (_, trial) =>
    Object.fromEntries(
      names.map((name, axis) => [name, valueAt(varied[name] as VariedArgument, (0.5 + (trial + 1) * (steps[axis] as number)) % 1)]),
    ),
  )
}

function combination(varied: SweepSpec['arguments'], trial: number): TrialArguments {
  let rest = trial
  const chosen = Object.entries(varied).map(([name, own]): [string, ArgumentValue] => {
    const values = 'values' in own ? own.values : []
    const at = rest % values.length
    rest = Math.floor(rest / values.length)
    return [name, values[at] as ArgumentValue]
  })
  return Object.fromEntries(chosen)
}

/** Powers of the inverse of the number whose power `axes + 1` is itself plus one. */
function recurrence(axes: number): readonly number[] {
  let ratio = 2
  for (let round = 0; round < 50; round += 1) ratio = (1 + ratio) ** (1 / (axes + 1))
  return Array.from({ length: axes }, (_, axis) => ratio ** -(axis + 1))
}

function valueAt(own: VariedArgument, share: number): ArgumentValue {
  if ('values' in own) return own.values[Math.floor(share * own.values.length)] as ArgumentValue
  const { from, to, scale, whole } = own
  if (whole) return Math.min(Math.floor(to), Math.floor(between(scale, [Math.ceil(from), Math.floor(to) + 1], share)))
  return Number(between(scale, [from, to], share).toPrecision(FIGURES))
}

const between = (scale: 'linear' | 'log', [from, to]: readonly [number, number], share: number): number =>
  scale === 'log' ? from * (to / from) ** share : from + (to - from) * share

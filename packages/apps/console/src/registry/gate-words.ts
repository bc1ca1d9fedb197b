// What a gate measured, in words.

import type { GateFigure, GateState, ReleaseAnswer } from '@ironlaw/contracts/release-record'
import { bytes, seconds, show, showPercent } from '@ironlaw/units'

type StateWords = { readonly mark: string; readonly chip: 'good' | 'bad' | 'plain' | 'waived'; readonly bar: 'good' | 'bad' | 'waiting' }

/** As `ironlaw release check` marks them. */
export const GATE_WORDS: Readonly<Record<GateState, StateWords>> = {
  passed: { mark: '✓', chip: 'good', bar: 'good' },
  refused: { mark: '✗', chip: 'bad', bar: 'bad' },
  undecided: { mark: '?', chip: 'plain', bar: 'waiting' },
  waived: { mark: '~', chip: 'waived', bar: 'waiting' },
}

export const ANSWER_WORDS: Readonly<Record<ReleaseAnswer, string>> = {
  release: 'all gates let it pass',
  refuse: 'refused',
  undecided: 'undecided',
}

type Unit = GateFigure['unit']

export function showMeasured(value: number, unit: Unit): string {
  switch (unit) {
    case 'share':
      return showPercent(value)
    case 'difference':
      return `${signedPoints(value)} points`
    case 'ratio':
      return value.toFixed(2)
    case 'ms':
      return show(seconds(value / 1000), 's')
    case 'bytes':
      return show(bytes(value), 'B')
  }
}

const signedPoints = (difference: number): string => `${difference > 0 ? '+' : ''}${(100 * difference).toFixed(2)}`

/** Empty where it was not drawn from a sample. */
export function intervalText({ unit, low, high }: GateFigure): string {
  if (low === undefined) return high === undefined ? '' : `up to ${showMeasured(high, unit)}`
  if (high === undefined) return `from ${showMeasured(low, unit)}`
  return unit === 'difference'
    ? `${signedPoints(low)} to ${signedPoints(high)}`
    : `${showMeasured(low, unit)} to ${showMeasured(high, unit)}`
}

export function limitText({ unit, at_least, at_most }: GateFigure): string {
  if (at_least === undefined) return at_most === undefined ? '' : `at most ${showMeasured(at_most, unit)}`
  if (at_most === undefined) return `at least ${showMeasured(at_least, unit)}`
  return unit === 'difference' && at_least === -at_most
    ? `at most ${(100 * at_most).toFixed(2)} points apart`
    : `${showMeasured(at_least, unit)} to ${showMeasured(at_most, unit)}`
}

export const limitsOf = ({ at_least, at_most }: GateFigure): readonly number[] =>
  [at_least, at_most].filter((limit): limit is number => limit !== undefined)

/** Ends of a scale that holds the figure and its limits with a margin; a difference has its zero in the middle, all else at the left. */
export function scaleOfFigure(figure: GateFigure): readonly [number, number] {
  const { unit, value, low = value, high = value } = figure
  const reach = 1.08 * Math.max(...[value, low, high, ...limitsOf(figure)].map(Math.abs))
  if (unit === 'difference') return [-reach, reach]
  return [0, unit === 'share' ? Math.min(1, reach) : reach]
}

export function countedStates(states: readonly GateState[]): string {
  const counts = (Object.keys(GATE_WORDS) as readonly GateState[]).map(
    (state) => [state, states.filter((each) => each === state).length] as const,
  )
  return counts
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ')
}

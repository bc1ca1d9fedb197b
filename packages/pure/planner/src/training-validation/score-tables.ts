// Rows of scores as the terminal and the page print them; each passes how it prints the figure that counts.

import { showChange, showPercent } from '@ironlaw/units'
import { type DecisionSet, PROMISE, type Promised } from './decisions.ts'
import type { LeftOutSet } from './left-out.ts'

type Strong = (text: string) => string

export const LEFT_OUT_HEAD = [
  'source left out',
  'sources',
  'rows',
  'median',
  'p90',
  'bias',
  'log median',
  'log p90',
  'in the 90 % interval',
  'constant utilization: median',
  'p90',
] as const

export const leftOutCells = ({ name, sources, time, coverage, constantUtilization: baseline }: LeftOutSet, strong: Strong): string[] => [
  name,
  String(sources),
  String(time.n),
  strong(showPercent(time.median)),
  showPercent(time.p90),
  showChange(time.bias),
  showPercent(time.log.median),
  showPercent(time.log.p90),
  showPercent(coverage),
  showPercent(baseline.median),
  showPercent(baseline.p90),
]

export const DECISION_HEAD = [
  'sweeps',
  'runs',
  'layouts',
  'fastest picked',
  'pairs in order',
  'mean regret',
  'p90',
  'most',
  'promise',
  `in ${PROMISE.least} to ${PROMISE.most}`,
] as const

export const decisionCells = ({ name, runs, layouts, picked, ordered, regret, promise }: DecisionSet, strong: Strong): string[] => [
  name,
  String(runs),
  String(layouts),
  showPercent(picked),
  showPercent(ordered),
  strong(showPercent(regret.mean)),
  showPercent(regret.p90),
  showPercent(regret.most),
  ...promiseCells(promise),
]

export const promiseCells = ({ low, median, high, inside }: Promised): string[] => [
  `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
  showPercent(inside),
]

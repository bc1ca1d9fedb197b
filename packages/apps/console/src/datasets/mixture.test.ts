import type { PhaseMixture } from '@ironlaw/data'
import { expect, test } from 'vitest'
import { mixtureSeries, phaseRows, stackedBars } from './mixture.ts'

const share = (source: string, part: number, samples: number) => ({ source, share: part, samples, epochs: 1 })

const PHASES: readonly PhaseMixture[] = [
  { start: 0, end: 40, isCut: false, shares: [share('code', 0.25, 10), share('web', 0.75, 30)] },
  { start: 40, end: 60, isCut: true, shares: [share('web', 1, 20)] },
]

test('a source has its share at both ends of each phase, the one that is taken most first', () => {
  expect(mixtureSeries(PHASES)).toEqual([
    {
      name: 'web',
      ink: 'work',
      points: [
        [0, 0.75],
        [39, 0.75],
        [40, 1],
        [59, 1],
      ],
    },
    {
      name: 'code',
      ink: 'exchange',
      points: [
        [0, 0.25],
        [39, 0.25],
        [40, 0],
        [59, 0],
      ],
    },
  ])
})

test('bars stand on each other, and close up when a source is hidden', () => {
  const series = mixtureSeries(PHASES)
  expect(stackedBars(PHASES, series)).toEqual([
    { ink: 'work', start: 0, end: 40, from: 0, to: 0.75 },
    { ink: 'exchange', start: 0, end: 40, from: 0.75, to: 1 },
    { ink: 'work', start: 40, end: 60, from: 0, to: 1 },
  ])
  expect(stackedBars(PHASES, series.slice(1))).toEqual([{ ink: 'exchange', start: 0, end: 40, from: 0, to: 0.25 }])
})

test('many sources share the last colour', () => {
  const shares = Array.from({ length: 10 }, (_, at) => share(`s${at}`, 0.1, 10 - at))
  const series = mixtureSeries([{ start: 0, end: 100, isCut: false, shares }])
  expect(series.map(({ name }) => name)).toEqual(['s0', 's1', 's2', 's3', 'other sources'])
  expect(series.reduce((sum, { points }) => sum + (points[0]?.[1] ?? 0), 0)).toBeCloseTo(1)
  expect(phaseRows(PHASES)).toHaveLength(3)
})

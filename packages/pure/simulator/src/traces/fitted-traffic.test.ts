import { describe, expect, test } from 'vitest'
import { type Arrivals, drawnArrivals, logNormalLength } from '../serving/arrivals.ts'
import { newArrivingRequest } from '../serving/request-table.ts'
import { fitTraffic, syntheticArrivals } from './fitted-traffic.ts'
import { traceOf, type TraceRow } from './trace.ts'

function rows(arrivals: Arrivals): TraceRow[] {
  const next = newArrivingRequest()
  const all: TraceRow[] = []
  while (arrivals(next)) all.push({ at_s: next.at, prompt: next.prompt, output: next.output })
  return all
}

const drawn = (burstiness: number) =>
  rows(
    drawnArrivals({
      requests_per_s: 8,
      burstiness,
      prompt: logNormalLength(900, 1),
      output: logNormalLength(200, 0.7),
      count: 40_000,
      seed: 4,
    }),
  )

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('traffic fitted to a trace', () => {
  for (const burstiness of [0.5, 1, 2.5])
    test(`has the burstiness ${burstiness} that it was made with`, () => {
      const fit = fitTraffic(traceOf(drawn(burstiness)), 600)
      expect(Math.abs(fit.burstiness / burstiness - 1)).toBeLessThan(0.05)
      const again = rows(syntheticArrivals(fit, { count: 40_000, seed: 9 }))
      expect(Math.abs((again.at(-1)?.at_s ?? 0) / 5000 - 1)).toBeLessThan(0.05)
      expect(Math.abs(fitTraffic(traceOf(again), 600).burstiness / burstiness - 1)).toBeLessThan(0.1)
      expect(Math.abs(mean(again.map(({ prompt }) => prompt)) / mean(drawn(burstiness).map(({ prompt }) => prompt)) - 1)).toBeLessThan(0.02)
    })

  test('does not take a drift of the rate for bursts', () => {
    const rising = drawn(1).map((row) => ({ ...row, at_s: 5000 * Math.sqrt(row.at_s / 5000) }))
    expect(fitTraffic(traceOf(rising), 200).burstiness).toBeCloseTo(1, 1)
    const twice = rows(syntheticArrivals(fitTraffic(traceOf(rising), 200), { count: 20_000, seed: 1, scale: 2 }))
    expect(twice.filter(({ at_s }) => at_s < 1250).length).toBeLessThan(twice.filter(({ at_s }) => at_s >= 1250 && at_s < 2500).length / 2)
  })
})

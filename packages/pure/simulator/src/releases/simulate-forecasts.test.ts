import { expect, test } from 'vitest'
import { simulateForecasts } from './simulate-forecasts.ts'

test('of verdicts said to come with 80 %, so many come', () => {
  const bins = simulateForecasts({ pairs: 1500, seed: 9 })
  expect(bins.reduce((sum, { forecasts }) => sum + forecasts, 0)).toBe(4500)
  for (const { said, came, forecasts } of bins)
    // Four standard errors, and what a pilot is off by.
    expect(Math.abs(said - came)).toBeLessThan(0.03 + 4 * Math.sqrt((said * (1 - said)) / forecasts))
})

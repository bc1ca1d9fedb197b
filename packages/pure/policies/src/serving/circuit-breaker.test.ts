import { expect, test } from 'vitest'
import { abandoned, closedBreaker, DEFAULT_BREAKER, failed, mayTry, succeeded, tried } from './circuit-breaker.ts'

const opened = () => {
  const breaker = closedBreaker()
  for (let failure = 0; failure < DEFAULT_BREAKER.failures; failure += 1) failed(breaker, DEFAULT_BREAKER, 0)
  return breaker
}

test('opens after failures in a row only', () => {
  const breaker = closedBreaker()
  for (let round = 0; round < 10; round += 1) {
    for (let failure = 1; failure < DEFAULT_BREAKER.failures; failure += 1) failed(breaker, DEFAULT_BREAKER, 0)
    expect(mayTry(breaker, 0)).toBe(true)
    succeeded(breaker)
  }
  expect(mayTry(opened(), 0.9)).toBe(false)
})

test('one trial at a time, and it decides', () => {
  const breaker = opened()
  expect(mayTry(breaker, 1)).toBe(true)
  tried(breaker, 1)
  expect(mayTry(breaker, 1)).toBe(false)
  failed(breaker, DEFAULT_BREAKER, 1)
  expect(mayTry(breaker, 2.9)).toBe(false)
  expect(mayTry(breaker, 3)).toBe(true)
  tried(breaker, 3)
  succeeded(breaker)
  expect(mayTry(breaker, 3)).toBe(true)
})

test('a trial whose sender left is no answer', () => {
  const breaker = opened()
  tried(breaker, 1)
  abandoned(breaker)
  expect(mayTry(breaker, 1)).toBe(true)
})

test('the wait is capped', () => {
  const breaker = opened()
  for (let round = 0; round < 20; round += 1) {
    const now = breaker.until
    tried(breaker, now)
    failed(breaker, DEFAULT_BREAKER, now)
    expect(breaker.until - now).toBeLessThanOrEqual(DEFAULT_BREAKER.openCap_s)
  }
})

import { expect, test } from 'vitest'
import {
  abandonTrial,
  closedBreaker,
  DEFAULT_BREAKER,
  recordFailure,
  allowsRequest,
  recordSuccess,
  recordAttempt,
} from './circuit-breaker.ts'

const openBreaker = () => {
  const breaker = closedBreaker()
  for (let failure = 0; failure < DEFAULT_BREAKER.failures; failure += 1) recordFailure(breaker, DEFAULT_BREAKER, 0)
  return breaker
}

test('opens after failures in a row only', () => {
  const breaker = closedBreaker()
  for (let round = 0; round < 10; round += 1) {
    for (let failure = 1; failure < DEFAULT_BREAKER.failures; failure += 1) recordFailure(breaker, DEFAULT_BREAKER, 0)
    expect(allowsRequest(breaker, 0)).toBe(true)
    recordSuccess(breaker)
  }
  expect(allowsRequest(openBreaker(), 0.9)).toBe(false)
})

test('one trial at a time, and it decides', () => {
  const breaker = openBreaker()
  expect(allowsRequest(breaker, 1)).toBe(true)
  recordAttempt(breaker, 1)
  expect(allowsRequest(breaker, 1)).toBe(false)
  recordFailure(breaker, DEFAULT_BREAKER, 1)
  expect(allowsRequest(breaker, 2.9)).toBe(false)
  expect(allowsRequest(breaker, 3)).toBe(true)
  recordAttempt(breaker, 3)
  recordSuccess(breaker)
  expect(allowsRequest(breaker, 3)).toBe(true)
})

test('a trial whose sender left is no answer', () => {
  const breaker = openBreaker()
  recordAttempt(breaker, 1)
  abandonTrial(breaker)
  expect(allowsRequest(breaker, 1)).toBe(true)
})

test('the wait is capped', () => {
  const breaker = openBreaker()
  for (let round = 0; round < 20; round += 1) {
    const now = breaker.until
    recordAttempt(breaker, now)
    recordFailure(breaker, DEFAULT_BREAKER, now)
    expect(breaker.until - now).toBeLessThanOrEqual(DEFAULT_BREAKER.openCap_s)
  }
})

import { expect, test } from 'vitest'
import { closedBreaker, DEFAULT_BREAKER, recordFailure, allowsRequest, recordSuccess } from './circuit-breaker.ts'
import { countUnconfirmed, newFaultWindow, serverErrorVerdict } from './request-fault.ts'

for (const [what, failedElsewhere, mayRetry, verdict] of [
  ['the first failure is judged by another replica', 0, true, 'retry'],
  ['without another replica it stays unconfirmed', 0, false, 'unconfirmed'],
  ['the second failure is the fault of the request', 1, true, 'request'],
  ['also when it was the last try', 1, false, 'request'],
] as const)
  test(what, () => expect(serverErrorVerdict({ failedElsewhere, mayRetry })).toBe(verdict))

test('within a window one unconfirmed failure of a tenant counts', () => {
  const window = newFaultWindow()
  expect([0, 0.1, 4.9, 5, 5.1, 10].map((now) => countUnconfirmed(window, now))).toEqual([true, false, false, true, false, true])
})

test('a thousand bad requests of one tenant within ten seconds do not open a breaker, whether or not a request succeeds in between', () => {
  for (const hasSuccess of [false, true]) {
    const [breaker, window] = [closedBreaker(), newFaultWindow()]
    for (let index = 0; index < 1000; index += 1) {
      const now = index / 100
      if (hasSuccess && index === 500) recordSuccess(breaker)
      if (countUnconfirmed(window, now)) recordFailure(breaker, DEFAULT_BREAKER, now)
    }
    expect(allowsRequest(breaker, 10)).toBe(true)
    expect(breaker.state).toBe('closed')
  }
})

test('a replica that fails everybody is found by several tenants at once', () => {
  const breaker = closedBreaker()
  for (const window of Array.from({ length: 5 }, newFaultWindow))
    if (countUnconfirmed(window, 0)) recordFailure(breaker, DEFAULT_BREAKER, 0)
  expect(breaker.state).toBe('open')
})

import { expect, test } from 'vitest'
import { clientNetwork, RateLimit } from './rate-limit.ts'

test('a burst, then as many as time allows, each caller for itself', () => {
  let now = 0
  const limit = new RateLimit({ perSecond: 2, burst: 4 }, () => now)
  for (let sent = 0; sent < 4; sent += 1) {
    expect(limit.wait_s('a')).toBe(0)
    limit.take('a')
  }
  expect(limit.wait_s('a')).toBe(0.5)
  expect(limit.wait_s('b')).toBe(0)
  now = 0.5
  expect(limit.wait_s('a')).toBe(0)
  now = 100
  limit.take('a', 10)
  expect(limit.wait_s('a')).toBe(3.5)
  expect(limit.wait_s('a', 1_000_000)).toBe(5)
})

test('ten thousand callers are remembered, the quietest are forgotten', () => {
  const limit = new RateLimit({ perSecond: 1, burst: 1 }, () => 0)
  limit.take('first')
  for (let caller = 0; caller < 9999; caller += 1) limit.take(String(caller))
  expect(limit.wait_s('first')).toBe(1)
  limit.take('one more')
  expect(limit.wait_s('0')).toBe(0)
})

test('addresses of one IPv6 network are one caller', () => {
  expect(clientNetwork('2001:db8:1:2:3:4:5:6')).toBe(clientNetwork('2001:db8:1:2:ffff:4:5:7'))
  expect(clientNetwork('::ffff:10.0.0.1')).toBe('10.0.0.1')
})

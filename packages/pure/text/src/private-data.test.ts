import { describe, expect, test } from 'vitest'
import { privateData } from './private-data.ts'

const random = (length: number): string => 'aB3dE5gH7jK9mN2pQ4sT6vW8yZ'.repeat(4).slice(0, length)
const spansIn = (text: string): string[] => privateData(text).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`)

describe('is found', () => {
  test.each([
    ['email', 'jane.doe+news@mail.example.co.uk'],
    ['ip', '203.0.113.7'],
    ['phone', '+49 30 1234 5678'],
    ['phone', '+1 (415) 555-2671'],
    ['phone', '(415) 555-2671'],
    ['phone', '415-555-2671'],
    ['card', '4111 1111 1111 1111'],
    ['card', '5500-0000-0000-0004'],
    ['card', '378282246310005'],
    ['api-key', `ghp_${random(36)}`],
    ['api-key', `glpat-${random(20)}`],
    ['api-key', `AIza${random(35)}`],
    ['api-key', `sk-${random(48)}`],
    ['api-key', `AKIA${'QWERTYUIOPASDFGH'}`],
  ])('%s %s', (kind, value) => {
    expect(spansIn(`before ${value}, after`)).toEqual([`${kind}: ${value}`])
    expect(spansIn(value)).toEqual([`${kind}: ${value}`])
  })
})

describe('is left alone', () => {
  test.each([
    ['a handle', 'ask @jane or a@b'],
    ['dots in a row', 'jane..doe@example.org'],
    ['a version', 'version 1.2.3.4.5 of 10.300.1.1'],
    ['a number out of range', '256.1.1.1'],
    ['a card with a wrong check digit', '4111 1111 1111 1112'],
    ['a long number', 'order 41111111111111111111'],
    ['a date', '2026-11-18 and 18-11-2026'],
    ['a short number', '+1 234'],
    ['a placeholder', `AKIA${'X'.repeat(16)} sk-${'x'.repeat(40)}`],
    ['a digest', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['an ISBN', '978-3-16-148410-0'],
  ])('%s: %s', (_, text) => expect(spansIn(text)).toEqual([]))
})

test('spans are in order and do not overlap', () => {
  expect(spansIn('10.0.0.1 a@example.org 4111111111111111')).toEqual(['ip: 10.0.0.1', 'email: a@example.org', 'card: 4111111111111111'])
})

test('100 kB of what almost matches takes linear time', () => {
  const started = process.cpuUsage().user
  for (const part of ['a.', '1-', '+1 ', 'a@', '4111 ', '1.']) privateData(part.repeat(100_000 / part.length))
  expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(2)
})

import { describe, expect, test } from 'vitest'
import { OWN_GATE, SEQUENTIAL_GATE, simulateReleases } from './simulate-releases.ts'

const RISK = { falseBlock: 0.05, miss: 0.05 }

describe('gates over drawn releases', () => {
  const { gates } = simulateReleases({ releases: 400, seed: 7, risk: RISK })
  const of = (name: string) => gates.find(({ gate }) => gate.startsWith(name))

  test('a paired gate with a margin errs in about 5 % each way, and seldom has to ask for more items', () => {
    expect(of(OWN_GATE)?.falseBlock).toBeLessThanOrEqual(0.08)
    expect(of(OWN_GATE)?.miss).toBeLessThanOrEqual(0.08)
    expect(of(OWN_GATE)?.undecided).toBeLessThan(0.03)
  })

  test('the same in stages errs no more often and asks for a third fewer items', () => {
    const sequential = of(SEQUENTIAL_GATE)
    expect(sequential?.falseBlock).toBeLessThanOrEqual(0.08)
    expect(sequential?.miss).toBeLessThanOrEqual(0.08)
    expect(sequential?.undecided).toBeLessThan(0.03)
    expect(sequential?.asked).toBeLessThan(0.7)
    expect(of(OWN_GATE)?.asked).toBe(1)
  })

  test('asking for at least the old score refuses half of all equal models, and an unpaired test misses half of the worse ones', () => {
    expect(of('new at least')?.falseBlock).toBeGreaterThan(0.35)
    expect(of('unpaired')?.miss).toBeGreaterThan(0.3)
  })

  test('the same seed gives the same releases', () => {
    const again = simulateReleases({ releases: 20, seed: 3, risk: RISK })
    expect(simulateReleases({ releases: 20, seed: 3, risk: RISK })).toEqual(again)
    expect(simulateReleases({ releases: 20, seed: 4, risk: RISK })).not.toEqual(again)
  })
})

import { describe, expect, test } from 'vitest'
import { decideSync, gatewayState, hasApplied } from './gateway-config.ts'

const STORED = { epoch: 'e', version: 5, digest: 'd' }

describe('what a gateway gets for its report', () => {
  for (const [name, reported, decision, state] of [
    ['the newest', { epoch: 'e', version: 5, digest: 'd' }, 'up-to-date', 'current'],
    ['an older one', { epoch: 'e', version: 4, digest: 'c' }, 'send', 'behind'],
    ['none yet', { version: -1 }, 'send', 'behind'],
    ['another epoch, whatever its version', { epoch: 'f', version: 9, digest: 'd' }, 'send', 'behind'],
    ['a version that this database never gave out', { epoch: 'e', version: 6, digest: 'x' }, 'start-epoch', 'behind'],
    ['the version with another content', { epoch: 'e', version: 5, digest: 'x' }, 'start-epoch', 'behind'],
    [
      'an older one, the newest rejected',
      { epoch: 'e', version: 4, rejected: { epoch: 'e', version: 5, reason: '' } },
      'hold-back',
      'rejected',
    ],
    ['an older one, an older rejected', { epoch: 'e', version: 3, rejected: { epoch: 'e', version: 4, reason: '' } }, 'send', 'behind'],
    ['no epoch, the newest', { version: 5 }, 'up-to-date', 'current'],
    ['no epoch, ahead of a restored database', { version: 6 }, 'send', 'behind'],
  ] as const)
    test(name, () => {
      expect(decideSync(reported, STORED)).toBe(decision)
      expect(gatewayState(reported, STORED, { seen_at: 100, now: 101 })).toBe(state)
      expect(gatewayState(reported, STORED, { seen_at: 100, now: 111 })).toBe('silent')
    })

  test('an empty database takes nothing away', () => {
    expect(decideSync({ epoch: 'f', version: 9 }, { epoch: 'e', version: 0, digest: '' })).toBe('up-to-date')
  })

  test('a version is applied with itself or a later one of its epoch', () => {
    expect(hasApplied({ epoch: 'e', version: 6 }, STORED)).toBe(true)
    expect(hasApplied({ epoch: 'e', version: 4 }, STORED)).toBe(false)
    expect(hasApplied({ epoch: 'f', version: 6 }, STORED)).toBe(false)
    expect(hasApplied({ version: 1 }, STORED)).toBe(true)
    expect(hasApplied({ version: -1 }, STORED)).toBe(false)
  })
})

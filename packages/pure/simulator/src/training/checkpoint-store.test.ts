import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { Survival, Tier } from './campaign.ts'
import { CheckpointStore } from './checkpoint-store.ts'

const TIERS: Tier[] = (['process', 'node', 'everything'] as const).map((survives) => ({
  name: survives,
  write_s: 1,
  load_s: 1,
  every: 1,
  survives,
}))

const step = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), tier: fc.nat(2) }),
  fc.record({ kind: fc.constant('commit' as const), tier: fc.nat(2) }),
  fc.record({ kind: fc.constant('lose' as const), damage: fc.constantFrom<Survival>('process', 'node', 'everything') }),
)

describe('checkpoint store', () => {
  property.prop([fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 60 })])(
    'restores what was committed and outlived every loss since, the newest that is sound',
    (steps, soundUntil) => {
      const store = new CheckpointStore(TIERS)
      const alive: { work: number; tier: number }[] = []
      const writing = new Map<number, number>()
      steps.forEach((each, index) => {
        const work = index + 1
        if (each.kind === 'begin') {
          if (writing.has(each.tier)) return
          store.begin(each.tier, work, work)
          writing.set(each.tier, work)
        } else if (each.kind === 'commit') {
          const begun = writing.get(each.tier)
          if (begun === undefined) return
          store.commit(each.tier)
          alive.push({ work: begun, tier: each.tier })
          writing.delete(each.tier)
        } else {
          store.lose(each.damage)
          writing.clear()
          const least = ['process', 'node', 'everything'].indexOf(each.damage)
          alive.splice(0, alive.length, ...alive.filter(({ tier }) => tier >= least))
        }
      })
      expect(store.busy).toBe(writing.size > 0)
      for (const tier of [0, 1, 2]) expect(store.isWriting(tier)).toBe(writing.has(tier))
      const best = Math.max(0, ...alive.map(({ work }) => work).filter((work) => work <= soundUntil))
      expect(store.restore(soundUntil).work).toBe(best)
    },
  )

  test('of many checkpoints an old one is still near: corruption that is found late costs its age, not the run', () => {
    const store = new CheckpointStore(TIERS.slice(2))
    store.commitAlike(1, 1, 50_000)
    for (const age of [10, 300, 2000, 20_000]) {
      const sound = 50_000 - age
      const { work } = store.restore(sound)
      expect(sound - work, `${age} checkpoints ago`).toBeLessThan(1 + age / 8)
    }
  })
})

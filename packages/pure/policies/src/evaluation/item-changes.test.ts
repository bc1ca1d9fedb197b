import type { ItemResult } from '@ironlaw/contracts/evaluation-items'
import { expect, test } from 'vitest'
import { itemChanges } from './item-changes.ts'

const result = (id: string, score: number): ItemResult => ({
  id,
  score,
  values: {},
  tokens_in: 1,
  tokens_out: 1,
  ms: 1,
  output_digest: '0'.repeat(64),
})

test('losses come first and the largest before smaller ones, then gains, then what is the same; items of one alone are left out', () => {
  const before = [result('same', 1), result('small-loss', 0.5), result('gain', 0), result('loss', 1), result('gone', 1)]
  const after = [result('same', 1), result('small-loss', 0.25), result('gain', 1), result('loss', 0), result('new', 0)]
  expect(itemChanges(before, after).map(({ id, change }) => [id, change])).toEqual([
    ['loss', 'lost'],
    ['small-loss', 'lost'],
    ['gain', 'won'],
    ['same', 'same'],
  ])
})

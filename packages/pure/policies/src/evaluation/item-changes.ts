// Two models on the same items: which items one lost and which it won, the largest losses first.

import type { ItemResult } from '@ironlaw/contracts/evaluation-items'

export type ItemChange = {
  readonly id: string
  readonly change: 'lost' | 'won' | 'same'
  readonly before: number
  readonly after: number
  readonly slices: Readonly<Record<string, string>>
}

const ORDER = { lost: 0, won: 1, same: 2 } as const

/** Items that only one of them has are left out, as in a comparison. */
export function itemChanges(before: readonly ItemResult[], after: readonly ItemResult[]): readonly ItemChange[] {
  const scores = new Map(before.map(({ id, score }) => [id, score]))
  return after
    .flatMap(({ id, score, slices = {} }): readonly ItemChange[] => {
      const earlier = scores.get(id)
      if (earlier === undefined) return []
      const change = score < earlier ? 'lost' : score > earlier ? 'won' : 'same'
      return [{ id, change, before: earlier, after: score, slices }]
    })
    .toSorted((a, b) => ORDER[a.change] - ORDER[b.change] || Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
}

// The order in which items are asked where a part of them may decide: random with regard to what they are, and the same after a kill.

import { sha256 } from '@ironlaw/contracts'

type Item = { readonly id: string; readonly cluster?: string | undefined }

/** Items of one cluster stay together: they are right and wrong together, and a part of them would count as a whole one. */
export function askingOrder<Some extends Item>(items: readonly Some[], seed: string): readonly Some[] {
  const keyOf = ({ id, cluster }: Item): string => sha256(JSON.stringify([seed, cluster === undefined ? { id } : { cluster }]))
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ item }) => item)
}

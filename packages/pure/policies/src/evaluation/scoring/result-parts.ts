// Results by slices, and what repeats of the same model say of the noise.

import type { ItemResult } from '@ironlaw/contracts/evaluation-items'

export type ResultSlice = { readonly slice: string; readonly value: string; readonly results: readonly ItemResult[] }

/** By each of the slices named, values in their order; items that do not say belong to none. */
export const sliceResults = (results: readonly ItemResult[], slices: readonly string[]): readonly ResultSlice[] =>
  slices.flatMap((slice) =>
    [...Map.groupBy(results, (result) => result.slices?.[slice])]
      .flatMap(([value, own]) => (value === undefined ? [] : [{ slice, value, results: own }]))
      .toSorted((a, b) => (a.value < b.value ? -1 : 1)),
  )

/** Share of the items whose score differs between two repeats, as a mean over all pairs of them; undefined where there is one. */
export function differingShare(repeats: readonly (readonly ItemResult[])[]): number | undefined {
  const scores = repeats.map((results) => new Map(results.map(({ id, score }) => [id, score])))
  const shares = scores.flatMap((one, index) =>
    scores.slice(index + 1).map((other) => [...one].filter(([id, score]) => other.get(id) !== score).length / Math.max(1, one.size)),
  )
  return shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share, 0) / shares.length
}

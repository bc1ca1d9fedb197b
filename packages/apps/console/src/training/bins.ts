// Sorted values in equal bins from the smallest to the largest.

export type Bin = { readonly from: number; readonly to: number; readonly count: number }

export function bins(sorted: readonly number[], parts: number): readonly Bin[] {
  const low = sorted[0] ?? 0
  const width = ((sorted.at(-1) ?? 0) - low) / parts
  if (width === 0) return [{ from: low, to: low, count: sorted.length }]
  const counts = Array.from({ length: parts }, () => 0)
  for (const value of sorted) {
    const at = Math.min(parts - 1, Math.floor((value - low) / width))
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts.map((count, part) => ({ from: low + part * width, to: low + (part + 1) * width, count }))
}

// What the search finds, and how entries match a query.

export type SearchEntry = {
  readonly kind: 'page' | 'run' | 'deployment' | 'node' | 'tenant' | 'plan' | 'law' | 'accelerator'
  readonly name: string
  /** A description next to the name; searched too. */
  readonly about: string
  readonly href: string
}

const MOST_SHOWN = 12

/** Every word of the query must match; names that begin with the query come first. */
export function matchingEntries(entries: readonly SearchEntry[], query: string): readonly SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .flatMap((entry) => {
      const name = entry.name.toLowerCase()
      const all = `${entry.kind} ${name} ${entry.about.toLowerCase()}`
      if (!words.every((word) => all.includes(word))) return []
      const whole = words.join(' ')
      return [{ entry, rank: name === whole ? 0 : name.startsWith(whole) ? 1 : name.includes(whole) ? 2 : 3 }]
    })
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, MOST_SHOWN)
    .map(({ entry }) => entry)
}

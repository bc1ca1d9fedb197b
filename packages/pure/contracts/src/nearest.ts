// "Did you mean": the known words closest to what somebody typed, by edit distance or because one holds the other.

const MOST_SUGGESTIONS = 3

export function nearest(word: string, known: readonly string[]): string[] {
  const typed = word.toLowerCase()
  return known
    .map((candidate) => ({ candidate, distance: closeness(typed, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, typed.length / 3))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ candidate }) => candidate)
}

function closeness(typed: string, candidate: string): number {
  if (typed.length >= 3 && candidate.includes(typed)) return 0.5
  return editDistance(typed, candidate)
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}

// "Did you mean": the known names closest to what the user typed. Case and separators do not count.

const SUGGESTIONS = 3
/** A suggestion further away than half of the typed letters is most likely wrong. */
const MOST_DISTANCE = 0.5

/** A thing by the name that is shown for it, and the other names it answers to. */
export type NameWithAliases = { readonly name: string; readonly aliases?: readonly string[] }

export function nearestNames(typed: string, known: Iterable<NameWithAliases>): readonly string[] {
  const wanted = foldedName(typed)
  return [...known]
    .map(({ name, aliases = [] }) => ({
      name,
      distance: Math.min(...[name, ...aliases].map((each) => nameDistance(wanted, foldedName(each)))),
    }))
    .filter(({ distance }) => distance <= MOST_DISTANCE * Math.max(wanted.length, 2))
    .toSorted((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name)
}

/** A name in normal form: without case, spaces, dashes, dots or underscores. */
export const foldedName = (name: string): string => name.toLowerCase().replaceAll(/[\s_.-]+/g, '')

/** Letters missing around a part of the name cost little: a user who types "tpu" wants to see the TPUs. */
function nameDistance(wanted: string, known: string): number {
  if (wanted.length >= 2 && known.includes(wanted))
    return Math.min(1, (known.length - wanted.length) / 10) + (known.startsWith(wanted) ? 0 : 0.5)
  return editDistance(wanted, known)
}

export function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const swap = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(swap, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    above = current
  }
  return above[b.length] ?? 0
}

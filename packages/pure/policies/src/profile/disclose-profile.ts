// What people and files get of a profile: nothing that was counted less often than a stated number, so that no row can be found in it.

import { MOST_WORDS, type Profile, type Sketch } from '@ironlaw/contracts/profile'
import { type Bin, sortedBins } from './bins.ts'
import { countedIn } from './merge-profiles.ts'
import { OTHER_WORDS } from './profile-counter.ts'

/** Of the counts that are shown. */
export const LEAST_SHOWN = 5
/** Rows below which a profile is not shown at all. */
export const LEAST_ROWS = 20

/** Undefined where it has too few rows. Features that were counted less often than one bin must be are left out. */
export function discloseProfile({ rows, features }: Profile): Profile | undefined {
  if (rows < LEAST_ROWS) return undefined
  const shown = Object.entries(features).filter(([, sketch]) => countedIn(sketch) >= LEAST_SHOWN)
  return { rows, features: Object.fromEntries(shown.map(([feature, sketch]) => [feature, discloseSketch(sketch)])) }
}

const discloseSketch = (sketch: Sketch): Sketch =>
  sketch.kind === 'numbers' ? { kind: 'numbers', bins: joinedBins(sketch.bins) } : { kind: 'words', counts: joinedWords(sketch.counts) }

type Counts = Readonly<Record<string, number>>

const joinedBins = (bins: Counts): Counts => Object.fromEntries(discloseBins(sortedBins(bins)))

/** Neighbours are joined until there are enough; the count goes where the middle one of them was. In the order of the bins, as is the answer. */
export function discloseBins(bins: readonly Bin[]): readonly Bin[] {
  const groups: Bin[][] = [[]]
  let size = 0
  for (const bin of bins) {
    if (size >= LEAST_SHOWN) {
      groups.push([])
      size = 0
    }
    groups.at(-1)?.push(bin)
    size += bin[1]
  }
  const rest = groups.length > 1 && size < LEAST_SHOWN ? (groups.pop() ?? []) : []
  groups.at(-1)?.push(...rest)
  return groups.map((group) => [middleOf(group), sizeOf(group)])
}

type Group = readonly Bin[]

const sizeOf = (group: Group): number => group.reduce((sum, [, count]) => sum + count, 0)

function middleOf(group: Group): number {
  let left = sizeOf(group) / 2
  for (const [bin, count] of group) {
    left -= count
    if (left <= 0) return bin
  }
  return group.at(-1)?.[0] ?? 0
}

/** Words that are rare, or beyond the most, are one; if they are too few even together, the rarest of the others joins them. */
function joinedWords(counts: Counts): Counts {
  const rows = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .toSorted(([, one], [, other]) => other - one)
  const shown = rows.filter(([word, count]) => word !== OTHER_WORDS && count >= LEAST_SHOWN).slice(0, MOST_WORDS)
  let other = rows.reduce((sum, [, count]) => sum + count, 0) - shown.reduce((sum, [, count]) => sum + count, 0)
  while (other > 0 && other < LEAST_SHOWN && shown.length > 0) other += shown.pop()?.[1] ?? 0
  return Object.fromEntries([...shown, ...(other > 0 ? [[OTHER_WORDS, other] as const] : [])])
}

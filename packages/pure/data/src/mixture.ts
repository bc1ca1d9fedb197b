// Which source a position is of. Sources are divided into two halves, and those again: at a node where a share w0 of w goes to the first half,
// the first t positions hold round(t w0 / w) of it. So the counts of every prefix are within half a sample per level of the weights, the same
// in every batch and on every rank, and both directions are a division per level. Nothing depends on where a phase ends, which is why a phase
// can be cut at any position and the counters of its sources go on without a gap.

type Share = { readonly source: number; readonly weight: number }

export type Mixture = {
  /** The source at an index of the phase, and how many of that source came before. */
  readonly at: (index: number) => { readonly source: number; readonly nth: number }
  /** How many of a source are among the first `length`. */
  readonly count: (source: number, length: number) => number
  /** The index of the source's nth, counted from zero; undefined for a source that has no share. */
  readonly indexOf: (source: number, nth: number) => number | undefined
}

type Split = { readonly weight: number; readonly whole: number }
type Tree = { readonly source: number } | { readonly split: Split; readonly first: Tree; readonly second: Tree }
/** A step from the root: into the first half of a split or the second. */
type Turn = { readonly split: Split; readonly first: boolean }

export function mixture(shares: readonly Share[]): Mixture {
  const turns = new Map<number, readonly Turn[]>()
  const tree = treeOf(shares, [], (source, way) => turns.set(source, way))
  return {
    at: (index) => sourceAt(tree, index),
    count: (source, length) => turns.get(source)?.reduce((count, turn) => countOf(turn, count), length) ?? 0,
    indexOf: (source, nth) => turns.get(source)?.reduceRight((index, turn) => indexIn(turn, index), nth),
  }
}

/** Tells the way to every source as it divides. */
function treeOf(shares: readonly Share[], way: readonly Turn[], tell: (source: number, way: readonly Turn[]) => void): Tree {
  const [only] = shares
  if (shares.length === 1 && only) {
    tell(only.source, way)
    return { source: only.source }
  }
  const middle = Math.ceil(shares.length / 2)
  const [one, other] = [shares.slice(0, middle), shares.slice(middle)]
  const split = { weight: weightOf(one), whole: weightOf(shares) }
  return {
    split,
    first: treeOf(one, [...way, { split, first: true }], tell),
    second: treeOf(other, [...way, { split, first: false }], tell),
  }
}

const weightOf = (shares: readonly Share[]): number => shares.reduce((sum, { weight }) => sum + weight, 0)

function sourceAt(tree: Tree, index: number): { readonly source: number; readonly nth: number } {
  let node = tree
  let nth = index
  while (!('source' in node)) {
    const before = roundedShare(node.split, nth)
    const isFirst = roundedShare(node.split, nth + 1) > before
    nth = isFirst ? before : nth - before
    node = isFirst ? node.first : node.second
  }
  return { source: node.source, nth }
}

const countOf = ({ split, first }: Turn, length: number): number => {
  const inFirst = roundedShare(split, length)
  return first ? inFirst : length - inFirst
}

/** round(length x weight / whole), halves up; in two parts, so that no product leaves the integers of a double while weights add up to 2^26 at most. */
function roundedShare({ weight, whole }: Split, length: number): number {
  const rounds = Math.floor(length / whole)
  const rest = length - rounds * whole
  return rounds * weight + Math.floor((rest * weight + Math.floor(whole / 2)) / whole)
}

/** The smallest index before which `nth` and behind which `nth + 1` of this half have come. */
function indexIn({ split: { weight, whole }, first }: Turn, nth: number): number {
  const half = Math.floor(whole / 2)
  const [own, offset] = first ? [weight, half] : [whole - weight, whole - 1 - half]
  const rounds = Math.floor((nth + 1) / own)
  const rest = nth + 1 - rounds * own
  return rounds * whole + Math.ceil((rest * whole - offset) / own) - 1
}

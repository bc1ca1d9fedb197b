// Two models on the same items. Most items are answered alike by both, so the differences vary far less than the scores do: a comparison item
// by item needs a tenth of the items that two independent averages need when one item in ten differs.

/** What one item was worth to each: 1 and 0 for right and wrong, or any share between. */
export type PairedScore = {
  readonly before: number
  readonly after: number
  /** Items of one text, one conversation or one template are right and wrong together. */
  readonly cluster?: string
}

/** How two models differ over a set of items; `mean` is after minus before. */
export type PairedDifference = {
  readonly items: number
  readonly mean: number
  /** Of a single item's difference; of clusters what their sum varies by, divided among their items. */
  readonly variance: number
  /** What `variance` was estimated from: clusters where there are any, else items. */
  readonly units: number
  /** Units in which the two differ at all. */
  readonly differing: number
  readonly kind: DifferenceKind
}

/** Where every score is 0 or 1 and no item has a cluster, two counts hold everything. */
type DifferenceKind = { readonly is: 'counts'; readonly won: number; readonly lost: number } | { readonly is: 'moments' }

export function pairedDifference(scores: readonly PairedScore[]): PairedDifference {
  const items = scores.length
  const mean = items === 0 ? 0 : scores.reduce((sum, { before, after }) => sum + after - before, 0) / items
  if (scores.every(isPlain)) {
    const won = scores.filter(({ before, after }) => after > before).length
    const lost = scores.filter(({ before, after }) => after < before).length
    return pairedCounts({ items, won, lost })
  }
  const sums = new Map<string, number>()
  const differing = new Set<string>()
  scores.forEach(({ before, after, cluster }, index) => {
    const key = cluster === undefined ? `\0${index}` : cluster
    sums.set(key, (sums.get(key) ?? 0) + after - before - mean)
    if (before !== after) differing.add(key)
  })
  const units = sums.size
  const squares = [...sums.values()].reduce((sum, own) => sum + own * own, 0)
  const variance = units < 2 ? 0 : (squares / items) * (units / (units - 1))
  return { items, mean, variance, units, differing: differing.size, kind: { is: 'moments' } }
}

/** Of scores that are right or wrong, by how many items one model alone got right. */
export function pairedCounts({
  items,
  won,
  lost,
}: {
  readonly items: number
  readonly won: number
  readonly lost: number
}): PairedDifference {
  const mean = items === 0 ? 0 : (won - lost) / items
  const variance = (won + lost) / Math.max(1, items) - mean * mean
  return { items, mean, variance, units: items, differing: won + lost, kind: { is: 'counts', won, lost } }
}

const isPlain = ({ before, after, cluster }: PairedScore): boolean =>
  cluster === undefined && (before === 0 || before === 1) && (after === 0 || after === 1)

// Clusters with so many bytes that having one or not would decide the estimate: they are counted apart.

/** A cluster above this share of all bytes is heavy. */
const HEAVY_SHARE = 0.001
const MOST_HEAVY = 100

export type HeavyClusters = ReadonlyMap<number, { readonly documents: number; readonly bytes: number }>

export function heavyClusters(anchors: Float64Array, bytes: Uint32Array): HeavyClusters {
  const order = Float64Array.from(anchors.keys()).toSorted((a, b) => (anchors[a] as number) - (anchors[b] as number) || a - b)
  const total = bytes.reduce((sum, each) => sum + each, 0)
  const heavy: (readonly [number, { documents: number; bytes: number }])[] = []
  for (let at = 0; at < order.length;) {
    const anchor = anchors[order[at] as number] as number
    const cluster = { documents: 0, bytes: 0 }
    for (; at < order.length && anchors[order[at] as number] === anchor; at += 1) {
      cluster.documents += 1
      cluster.bytes += bytes[order[at] as number] as number
    }
    if (cluster.documents > 1 && cluster.bytes > HEAVY_SHARE * total) heavy.push([anchor, cluster])
  }
  return new Map(heavy.toSorted(([, a], [, b]) => b.bytes - a.bytes).slice(0, MOST_HEAVY))
}

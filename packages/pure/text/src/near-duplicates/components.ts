// Which document stands for each group of near-duplicates. The smaller number is always the root, so the result is the smallest number of the component
// whatever the order of the pairs and however they are cut into chunks.

/**
 * For each document the number of the one that is kept of its component: the smallest. Number documents by content hash, and the kept one
 * is that of the smallest content hash.
 * @param documents how many there are
 * @param pairs chunks of pairs, flat: [a, b, c, d] joins a with b and c with d
 */
export function components(documents: number, pairs: Iterable<Uint32Array>): Uint32Array {
  const parent = Uint32Array.from({ length: documents }, (_, document) => document)
  const rootOf = (document: number): number => {
    let node = document
    for (let up = parent[node] as number; up !== node; up = parent[node] as number) {
      // Halves the path for whoever comes next.
      parent[node] = parent[up] as number
      node = parent[node] as number
    }
    return node
  }
  for (const chunk of pairs) {
    for (let i = 0; i + 1 < chunk.length; i += 2) {
      const a = rootOf(chunk[i] as number)
      const b = rootOf(chunk[i + 1] as number)
      if (a < b) parent[b] = a
      else parent[a] = b
    }
  }
  // A root is smaller than its children, so one pass in order reaches every root.
  for (let document = 0; document < documents; document += 1) parent[document] = parent[parent[document] as number] as number
  return parent
}

// Where a sample lies in token shards. Sample i is the window of sequence + 1 tokens from i x sequence on, over the shards as one text: the
// last token of a window is the first of the next, because it is only predicted in one and only read in the other.

/** Tokens from `start` up to, not including, `end`. */
export type TokenRange = { readonly start: number; readonly end: number }

export type Windows = { readonly tokens: number; readonly sequence: number }

export const sampleCount = ({ tokens, sequence }: Windows): number => Math.max(0, Math.floor((tokens - 1) / sequence))

export function tokensOfSample(sample: number, sequence: number): TokenRange {
  return { start: sample * sequence, end: sample * sequence + sequence + 1 }
}

/** Samples that hold any token of a range, from `first` up to, not including, `end`; none where the two are equal. */
export function samplesOfTokens({ start, end }: TokenRange, windows: Windows): { readonly first: number; readonly end: number } {
  const count = sampleCount(windows)
  const first = Math.min(count, Math.max(0, Math.floor((start - 1) / windows.sequence)))
  return { first, end: end <= start ? first : Math.max(first, Math.min(count, Math.floor((end - 1) / windows.sequence) + 1)) }
}

export type Piece = TokenRange & { readonly shard: number }

/** A range of the whole text as ranges of shards, given the tokens of each. */
export function piecesOf({ start, end }: TokenRange, shardTokens: readonly number[]): readonly Piece[] {
  const pieces: Piece[] = []
  let before = 0
  for (const [shard, tokens] of shardTokens.entries()) {
    const piece = { shard, start: Math.max(start - before, 0), end: Math.min(end - before, tokens) }
    if (piece.start < piece.end) pieces.push(piece)
    before += tokens
  }
  return pieces
}

/** The index file of a shard: where each document begins, and at last where the shard ends. */
export type DocumentIndex = { readonly documents: number; readonly offsetAt: (entry: number) => number }

/** Documents of a shard that have a token in a range of it, by binary search in the index. */
export function documentsOf(
  { start, end }: TokenRange,
  { documents, offsetAt }: DocumentIndex,
): { readonly first: number; readonly end: number } {
  const holding = (token: number): number => {
    let [low, high] = [0, documents - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (offsetAt(middle) <= token) low = middle
      else high = middle - 1
    }
    return low
  }
  const first = holding(start)
  return { first, end: end <= start ? first : holding(end - 1) + 1 }
}

/** Positions that a step trains on, steps counted from one, with a global batch that stays the same. */
export const positionsOfStep = (step: number, batch: number): { readonly start: number; readonly end: number } => ({
  start: (step - 1) * batch,
  end: step * batch,
})

export const stepOfPosition = (position: number, batch: number): number => Math.floor(position / batch) + 1

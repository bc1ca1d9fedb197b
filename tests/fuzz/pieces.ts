// An input in the pieces in which a network might bring it: their lengths follow from its bytes, so that a replay cuts it alike.

export function piecesOf(input: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = []
  let state = input.length
  for (let from = 0; from < input.length;) {
    state = (Math.imul(state ^ (input[from] ?? 0), 0x9e3779b1) >>> 0) ^ (state >>> 7)
    const length = (state & 7) === 0 ? 1 + (state % 3) : 1 + ((state >>> 3) % 4096)
    pieces.push(input.subarray(from, from + length))
    from += length
  }
  return pieces
}

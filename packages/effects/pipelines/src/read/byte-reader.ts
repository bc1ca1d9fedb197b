// Takes pieces of chosen length from bytes that come in chunks.

export type ByteReader = {
  /** The bytes up to and with a mark; undefined where the bytes end or the mark does not come within the limit. */
  readonly upTo: (mark: Buffer, mostBytes: number) => Promise<Buffer | undefined>
  /** Fewer only at the end. */
  readonly take: (bytes: number) => Promise<Buffer>
  /** Fewer only at the end. Needs no memory. */
  readonly skip: (bytes: number) => Promise<number>
  /** Skips all bytes of these values. False at the end. */
  readonly skipAll: (values: ReadonlySet<number>) => Promise<boolean>
  /** Bytes taken and skipped. */
  readonly position: () => number
}

export function byteReader(chunks: AsyncIterator<Buffer>): ByteReader {
  let [rest, position]: [Buffer, number] = [Buffer.alloc(0), 0]

  /** False at the end. */
  const more = async (): Promise<boolean> => {
    const next = await chunks.next()
    if (next.done === true) return false
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value])
    return true
  }

  const advance = (bytes: number): Buffer => {
    const taken = rest.subarray(0, bytes)
    rest = rest.subarray(bytes)
    position += taken.length
    return taken
  }

  const skip = async (bytes: number): Promise<number> => {
    let left = bytes
    while (left > 0 && (rest.length > 0 || (await more()))) left -= advance(left).length
    return bytes - left
  }

  const take = async (bytes: number): Promise<Buffer> => {
    if (rest.length >= bytes) return advance(bytes)
    const parts: Buffer[] = []
    for (let left = bytes; left > 0 && (rest.length > 0 || (await more()));) {
      const part = advance(left)
      parts.push(part)
      left -= part.length
    }
    return Buffer.concat(parts)
  }

  const upTo = async (mark: Buffer, mostBytes: number): Promise<Buffer | undefined> => {
    for (;;) {
      const found = rest.indexOf(mark)
      if (found !== -1 && found <= mostBytes) return advance(found + mark.length)
      if (rest.length > mostBytes || !(await more())) return undefined
    }
  }

  const skipAll = async (values: ReadonlySet<number>): Promise<boolean> => {
    for (;;) {
      const first = rest.findIndex((byte) => !values.has(byte))
      advance(first === -1 ? rest.length : first)
      if (first !== -1) return true
      if (!(await more())) return false
    }
  }

  return { upTo, take, skip, skipAll, position: () => position }
}

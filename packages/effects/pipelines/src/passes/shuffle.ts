// A shard of tokens: the documents that all units have for it, in the order of their content numbers.

import { hash } from 'node:crypto'
import type { Pipeline } from '../pipeline.ts'
import { readPart, writeContent, writeJson } from '../work-directory.ts'
import { PLACE_BYTES } from './token-part.ts'
import type { Segment, WrittenUnit } from './write.ts'

export type Shuffled = {
  readonly tokens: number
  readonly documents: number
  readonly tokensDigest: string
  readonly documentsDigest: string
  readonly recordsDigest: string
  readonly seconds: number
}

type Loaded = {
  readonly unit: number
  readonly orders: Float64Array
  readonly records: Uint32Array
  readonly starts: readonly number[]
  readonly tokens: Buffer
}

type Place = { readonly order: number; readonly loaded: Loaded; readonly index: number }

const recordOf = ({ loaded, index }: Place): number => loaded.records[index] as number

export type ShuffleInput = { readonly written: readonly WrittenUnit[]; readonly width: 2 | 4 }

export async function shuffleShard(pipeline: Pipeline, shard: number, { written, width }: ShuffleInput): Promise<void> {
  const { units, files } = pipeline
  const from = performance.now()
  const places: Place[] = []
  for (const { number } of units) {
    for (const segment of (written[number]?.part.segments ?? []).filter((each) => each.shard === shard)) {
      const loaded = await loadSegment(files.part(number), { unit: number, segment, width })
      for (let index = 0; index < segment.documents; index += 1) places.push({ order: loaded.orders[index] as number, loaded, index })
    }
  }
  places.sort((a, b) => a.order - b.order || a.loaded.unit - b.loaded.unit || recordOf(a) - recordOf(b))
  const pieces = places.map(({ loaded, index }) => loaded.tokens.subarray(loaded.starts[index], loaded.starts[index + 1]))
  const index = new BigUint64Array(places.length + 1)
  for (const [i, piece] of pieces.entries()) index[i + 1] = (index[i] as bigint) + BigInt(piece.length / width)
  const records = Uint32Array.from(places.flatMap(({ loaded, index: i }) => [loaded.unit, loaded.records[i] as number]))
  const write = async (suffix: string, content: Buffer): Promise<string> => {
    await writeContent(files.shard(shard, suffix), content)
    return hash('sha256', content, 'hex')
  }
  const tokensDigest = await write('tokens', Buffer.concat(pieces))
  const documentsDigest = await write('documents', Buffer.from(index.buffer))
  const recordsDigest = await write('records', Buffer.from(records.buffer))
  const shuffled: Shuffled = {
    tokens: Number(index[places.length]),
    documents: places.length,
    tokensDigest,
    documentsDigest,
    recordsDigest,
    seconds: (performance.now() - from) / 1000,
  }
  await writeJson(files.shuffled(shard), shuffled)
}

type Loading = { readonly unit: number; readonly segment: Segment; readonly width: 2 | 4 }

async function loadSegment(path: string, { unit, segment: { documents, tokens, start }, width }: Loading): Promise<Loaded> {
  const bytes = Buffer.from(await readPart(path, start, documents * PLACE_BYTES + tokens * width))
  const copy = (from: number, to: number): ArrayBuffer => Uint8Array.from(bytes.subarray(from, to)).buffer
  const lengths = new Uint32Array(copy(12 * documents, 16 * documents))
  const starts = [0]
  for (const length of lengths) starts.push((starts.at(-1) as number) + width * length)
  return {
    unit,
    orders: new Float64Array(copy(0, 8 * documents)),
    records: new Uint32Array(copy(8 * documents, 12 * documents)),
    starts,
    tokens: bytes.subarray(PLACE_BYTES * documents),
  }
}

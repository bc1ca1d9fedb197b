// Changes to bytes and lines that know nothing of what they mean.

import type { Random } from './random.ts'

export type Pieces = { readonly words: readonly string[]; readonly other: () => Uint8Array; readonly most: number }

const EDGE_BYTES = [0, 1, 9, 10, 13, 32, 34, 44, 45, 58, 91, 92, 93, 123, 124, 125, 127, 128, 0xc0, 0xed, 0xff] as const
const EDGE_LENGTHS = [0n, 1n, 7n, 8n, 255n, 65_535n, 0x7fff_ffffn, 0xffff_ffffn, 1n << 53n, (1n << 63n) - 1n, (1n << 64n) - 1n] as const
const LINES = ['\n', '\r\n', '\r\n\r\n', '\n\n', '\u0000', ': ', ' ', ',', '|'] as const

const NUMBERS = ['0', '1', '-1', '9', '255', '65536', '99999999', '4294967296', '9'.repeat(20)] as const
/** What words stand between in most formats of lines. */
const FRAMES = [
  ['\n', ''],
  ['', '\n'],
  ['\n', '\n'],
  ['"', '"'],
  [' ', ' '],
] as const

export function changedBytes(input: Uint8Array, random: Random, pieces: Pieces): Uint8Array {
  let bytes: Buffer = Buffer.from(input)
  for (let change = random.length(6); change > 0; change -= 1) bytes = random.pick(CHANGES)(bytes, random, pieces)
  return bytes.subarray(0, pieces.most)
}

type Change = (bytes: Buffer, random: Random, pieces: Pieces) => Buffer

const range = (bytes: Buffer, random: Random): readonly [number, number] => {
  const from = random.below(bytes.length + 1)
  return [from, Math.min(bytes.length, from + random.length(Math.max(1, bytes.length - from)))]
}

const withInserted = (bytes: Buffer, at: number, added: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at)])

const setByte: Change = (bytes, random) => {
  if (bytes.length > 0) bytes[random.below(bytes.length)] = random.chance(0.5) ? random.pick(EDGE_BYTES) : random.below(256)
  return bytes
}

const flipBit: Change = (bytes, random) => {
  const at = random.below(bytes.length)
  if (bytes.length > 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
  return bytes
}

const setLength: Change = (bytes, random) => {
  if (bytes.length >= 8) bytes.writeBigUInt64LE(random.pick(EDGE_LENGTHS), random.chance(0.7) ? 0 : random.below(bytes.length - 7))
  return bytes
}

const removeRange: Change = (bytes, random) => {
  const [from, to] = range(bytes, random)
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
}

const insertWord: Change = (bytes, random, { words }) => {
  const word = random.chance(0.7) && words.length > 0 ? random.pick(words) : random.pick(LINES)
  const tail = random.chance(0.25) ? random.pick(NUMBERS) : ''
  const [before, after] = random.chance(0.25) ? random.pick(FRAMES) : ['', '']
  return withInserted(bytes, random.below(bytes.length + 1), Buffer.from(`${before}${word}${tail}${after}`))
}

const overwriteWord: Change = (bytes, random, { words }) => {
  const word = Buffer.from(words.length > 0 ? random.pick(words) : random.pick(LINES))
  const at = random.below(bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), word, bytes.subarray(at + word.length)])
}

const repeatRange: Change = (bytes, random, { most }) => {
  const [from, to] = range(bytes, random)
  const piece = bytes.subarray(from, to)
  const room = Math.max(1, Math.floor((most - bytes.length) / Math.max(1, piece.length)))
  const times = random.chance(0.95) ? Math.min(room, random.length(16)) : random.length(room)
  return withInserted(bytes, to, Buffer.alloc(Math.max(0, piece.length * times), piece.length > 0 ? piece : ' '))
}

const moveRange: Change = (bytes, random) => {
  const [from, to] = range(bytes, random)
  const rest = Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  return withInserted(rest, random.below(rest.length + 1), bytes.subarray(from, to))
}

const spliceOther: Change = (bytes, random, { other }) => {
  const another = Buffer.from(other())
  const [from, to] = range(another, random)
  return withInserted(bytes, random.below(bytes.length + 1), another.subarray(from, to))
}

const changeNumber: Change = (bytes, random) => {
  const text = bytes.toString('latin1')
  const numbers = [...text.matchAll(/\d+/g)]
  const found = numbers.length > 0 ? random.pick(numbers) : undefined
  if (!found) return bytes
  const number = Number(found[0])
  const other = random.pick([String(number + 1), String(number - 1), `0${found[0]}`, '1e9', 'NaN', ...NUMBERS])
  return Buffer.from(text.slice(0, found.index) + other + text.slice(found.index + found[0].length), 'latin1')
}

const changeLines: Change = (bytes, random, { most }) => {
  const lines = bytes.toString('latin1').split('\n')
  const at = random.below(lines.length)
  const line = lines[at] ?? ''
  const kind = random.below(3)
  if (kind === 0) lines.splice(at, 1)
  else if (kind === 1) lines.splice(random.below(lines.length), 0, line)
  else {
    const room = Math.floor((most - bytes.length) / (line.length + 1))
    const times = random.length(random.chance(0.9) ? Math.min(room, 16) : room)
    if (room > 0) lines.splice(at, 0, ...Array.from({ length: times }, () => line))
  }
  return Buffer.from(lines.join('\n'), 'latin1')
}

const CHANGES: readonly Change[] = [
  setByte, flipBit, setLength, removeRange, removeRange, insertWord, insertWord, overwriteWord, repeatRange, moveRange, spliceOther, changeNumber,
  changeLines,
] // oxfmt-ignore

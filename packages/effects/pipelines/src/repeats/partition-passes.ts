// The passes over partitions of keys: which representatives occur twice, and which windows are there before. Units come in their order and a unit in the order of its records, so
// the first place of a key is the first of the corpus, whoever looks.

import type { Seconds } from '../figures.ts'
import { ENTRY_WORDS } from '../passes/keys.ts'
import type { Pipeline } from '../pipeline.ts'
import { createWhole, readPart, writeJson } from '../work-directory.ts'
import { firstPlaces, KNOWN, NEW } from './first-places.ts'

/** What a unit has for each partition: where its keys begin in the file of keys, in bytes; at last the end. */
export type Keyed = { readonly partitions: readonly number[]; readonly seconds: Seconds }

/** A place is a unit and a number in it. */
const UNIT = 2 ** 32

export type Partition = {
  readonly partition: number
  readonly keyed: readonly Keyed[]
  readonly keys: (unit: number) => string
  readonly found: (partition: number) => string
  /** Written before what was found: tasks are done when that is there. */
  readonly took: (partition: number) => string
  /** Whether the first place of a key that comes again is found too. */
  readonly hasFirst: boolean
}

/** What a partition found, and how long it took. */
export type Found = { readonly found: number; readonly seconds: number }

/** Places whose key is there at another place too. */
export async function findRepeated({ units }: Pipeline, input: Partition): Promise<void> {
  const from = performance.now()
  const { partition, keyed, keys, hasFirst } = input
  const found = units.map((): number[] => [])
  const visit = firstPlaces()
  for (const { number: unit } of units) {
    const [start, end] = [keyed[unit]?.partitions[partition] as number, keyed[unit]?.partitions[partition + 1] as number]
    if (start === end) continue
    const words = new Uint32Array(await readPart(keys(unit), start, end - start))
    const own = found[unit] as number[]
    for (let at = 0; at < words.length; at += ENTRY_WORDS) {
      const number = words[at + 2] as number
      const first = visit(words[at] as number, words[at + 1] as number, unit * UNIT + number)
      if (first === NEW) continue
      if (first !== KNOWN && hasFirst) found[Math.floor(first / UNIT)]?.push(first % UNIT)
      own.push(number)
    }
  }
  const count = found.reduce((sum, { length }) => sum + length, 0)
  await writeJson(input.took(partition), { found: count, seconds: (performance.now() - from) / 1000 } satisfies Found)
  await writeNumbers(input.found(partition), found)
}

/** Where the numbers of each unit begin, at last their end; then the numbers. */
async function writeNumbers(path: string, found: readonly (readonly number[])[]): Promise<void> {
  const starts = new Float64Array(found.length + 1)
  for (const [unit, { length }] of found.entries()) starts[unit + 1] = (starts[unit] as number) + length
  const file = await createWhole(path)
  await file.write(new Uint8Array(starts.buffer))
  for (const numbers of found) if (numbers.length > 0) await file.write(new Uint8Array(Uint32Array.from(numbers).buffer))
  await file.commit()
}

export type NumberSet = { readonly has: (number: number) => boolean; readonly size: number }

/** The numbers of a unit that the partitions found. */
export async function readNumbers(
  { units }: Pipeline,
  path: (partition: number) => string,
  { unit, partitions }: { readonly unit: number; readonly partitions: number },
): Promise<NumberSet> {
  const parts: Uint32Array[] = []
  const header = 8 * (units.length + 1)
  for (let partition = 0; partition < partitions; partition += 1) {
    const [start = 0, end = 0] = new Float64Array(await readPart(path(partition), 8 * unit, 16))
    if (end > start) parts.push(new Uint32Array(await readPart(path(partition), header + 4 * start, 4 * (end - start))))
  }
  return numberSet(parts)
}

function numberSet(parts: readonly Uint32Array[]): NumberSet {
  let most = 0
  for (const part of parts) for (const number of part) most = Math.max(most, number)
  const bits = new Uint8Array((most >>> 3) + 1)
  let size = 0
  for (const part of parts) {
    size += part.length
    for (const number of part) bits[number >>> 3] = (bits[number >>> 3] as number) | (1 << (number & 7))
  }
  return { has: (number) => (((bits[number >>> 3] ?? 0) >>> (number & 7)) & 1) === 1, size }
}

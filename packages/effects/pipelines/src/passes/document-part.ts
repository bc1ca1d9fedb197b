// Documents of a unit as compressed JSON lines. What no step has changed is copied as it is.

import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type LinesWriter, openLinesWriter } from '../read/write-lines.ts'
import type { Fields } from '../unit.ts'
import type { Output } from './write.ts'

/** Level 3 takes half as much time again, and 15 % less space. */
const LEVEL = 1
/** Bytes of lines that are handed on together. */
const BATCH = 256 * 1024

async function openPart(path: string): Promise<LinesWriter> {
  await mkdir(dirname(path), { recursive: true })
  return await openLinesWriter(path, { level: LEVEL })
}

/** @param field that holds the text */
export function documentPart(path: string, field: string): Output {
  let writer: LinesWriter | undefined
  let lines: (Buffer | Fields)[] = []
  let size = 0
  const flush = async (): Promise<LinesWriter> => {
    writer ??= await openPart(path)
    const batch = lines
    lines = []
    size = 0
    await writer.write(batch)
    return writer
  }
  const put = (line: Buffer | Fields, bytes: number): Promise<unknown> | undefined => {
    lines.push(line)
    size += bytes
    return size >= BATCH ? flush() : undefined
  }
  return {
    cause: 'write',
    copy: async (raw) => {
      if (raw.kind === 'line') await put(raw.bytes, raw.bytes.length)
      else if (raw.kind === 'fields') await put(raw.fields, BATCH)
    },
    add: async ({ raw, fields, text, isChanged }) => {
      await (raw.kind === 'line' && !isChanged ? put(raw.bytes, raw.bytes.length) : put({ ...fields, [field]: text }, text.length))
      return 0
    },
    close: async () => {
      const { bytes, sha256 } = await (await flush()).finish()
      return { bytes, digest: sha256 }
    },
    abandon: async () => await writer?.discard(),
  }
}

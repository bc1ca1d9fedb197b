// Documents of a unit as compressed JSON lines. What no step has changed is copied as it is.

import { hash } from 'node:crypto'
import { constants, zstdCompressSync } from 'node:zlib'
import { writeContent } from '../work-directory.ts'
import type { Output } from './write.ts'

/** Text of a frame. Frames begin at the same lines however the lines come. */
const FRAME_BYTES = 4e6
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const NEWLINE = Buffer.from('\n')

/** @param field that holds the text */
export function documentPart(path: string, field: string): Output {
  const frames: Buffer[] = []
  let lines: Buffer[] = []
  let size = 0
  const flush = (): void => {
    if (size > 0) frames.push(zstdCompressSync(Buffer.concat(lines), LEVEL))
    lines = []
    size = 0
  }
  const put = (line: Buffer): void => {
    lines.push(line, NEWLINE)
    size += line.length + 1
    if (size >= FRAME_BYTES) flush()
  }
  return {
    cause: 'write',
    copy: (raw) => {
      if (raw.kind !== 'broken') put(raw.kind === 'line' ? raw.bytes : Buffer.from(JSON.stringify(raw.fields)))
    },
    add: ({ raw, fields, text, isChanged }) => {
      put(raw.kind === 'line' && !isChanged ? raw.bytes : Buffer.from(JSON.stringify({ ...fields, [field]: text })))
      return 0
    },
    close: async () => {
      flush()
      const content = Buffer.concat(frames)
      await writeContent(path, content)
      return { bytes: content.length, digest: hash('sha256', content, 'hex') }
    },
  }
}

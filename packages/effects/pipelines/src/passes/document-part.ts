// Documents of a unit as compressed JSON lines. What no step has changed is copied as it is.

import { createHash } from 'node:crypto'
import { constants, zstdCompressSync } from 'node:zlib'
import { createWhole, type WholeFile } from '../work-directory.ts'
import type { Output } from './write.ts'

/** Text of a frame. Frames begin at the same lines however the lines come. */
const FRAME_BYTES = 4e6
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const NEWLINE = Buffer.from('\n')

/** @param field that holds the text */
export function documentPart(path: string, field: string): Output {
  const digest = createHash('sha256')
  let file: WholeFile | undefined
  let lines: Buffer[] = []
  let size = 0
  let bytes = 0
  const flush = async (): Promise<void> => {
    file ??= await createWhole(path)
    if (size === 0) return
    const frame = zstdCompressSync(Buffer.concat(lines), LEVEL)
    lines = []
    size = 0
    bytes += frame.length
    digest.update(frame)
    await file.write(frame)
  }
  const put = (line: Buffer): void | Promise<void> => {
    lines.push(line, NEWLINE)
    size += line.length + 1
    return size >= FRAME_BYTES ? flush() : undefined
  }
  return {
    cause: 'write',
    copy: (raw) => (raw.kind === 'broken' ? undefined : put(raw.kind === 'line' ? raw.bytes : Buffer.from(JSON.stringify(raw.fields)))),
    add: async ({ raw, fields, text, isChanged }) => {
      await put(raw.kind === 'line' && !isChanged ? raw.bytes : Buffer.from(JSON.stringify({ ...fields, [field]: text })))
      return 0
    },
    close: async () => {
      await flush()
      await file?.commit()
      return { bytes, digest: digest.digest('hex') }
    },
    abandon: async () => await file?.abandon(),
  }
}

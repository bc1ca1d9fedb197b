import { appendFile } from 'node:fs/promises'
import type { AuditSink } from './sink.ts'

/** Opened for each batch, so that a file which was rotated away is made again. On disk before it counts as written. */
export const fileSink = (path: string): AuditSink => ({
  write: (lines) => appendFile(path, lines.map(({ text }) => `${text}\n`).join(''), { mode: 0o600, flush: true }),
  close: () => undefined,
})

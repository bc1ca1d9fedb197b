// Lines as newline-delimited JSON in the body of a POST; any status of success takes them.

import { post, type WebOptions } from './post.ts'
import type { AuditSink } from './sink.ts'

export const webSink = (url: string, options: WebOptions): AuditSink => ({
  write: (lines) => post(url, { ...options, type: 'application/x-ndjson', body: lines.map(({ text }) => `${text}\n`).join('') }),
  close: () => undefined,
})

// Which kind of spec a file holds, before anything that knows that kind is loaded.

import { readDocument } from './input-file.ts'

export function specKind(file: string): 'Serve' | 'Access' | 'other' {
  const document: unknown = readDocument(file)
  const kind = typeof document === 'object' && document !== null && 'kind' in document ? document.kind : undefined
  return kind === 'Serve' || kind === 'Access' ? kind : 'other'
}

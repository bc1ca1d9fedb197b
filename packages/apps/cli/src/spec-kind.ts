// Which kind of spec a file holds, before anything that knows that kind is loaded.

import { readDocument } from './input-file.ts'

export function isServeSpec(file: string): boolean {
  const document: unknown = readDocument(file)
  return typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'Serve'
}

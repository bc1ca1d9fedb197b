// Refuses valid JSON that nothing behind the API can work with: nesting that would exhaust the stack of recursive code, and numbers too
// large for a double (1e999). The walk here keeps its own list instead of recursing, for the same reason.

import { IronlawError } from '@ironlaw/contracts'

/** Bytes that one request may bring. The manifest of an artifact of 100,000 files has some 25 MB. */
export const LIMITS = { json: 1 << 20, report: 8 << 20, log: 1 << 20, manifest: 32 << 20 } as const

const DEEPEST = 64

export function checkBody(body: unknown): void {
  let level: readonly unknown[] = [body]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw new IronlawError('IL_INVALID', { path: 'body', problem: `nested deeper than ${DEEPEST}` })
    if (level.some((value) => typeof value === 'number' && !Number.isFinite(value)))
      throw new IronlawError('IL_INVALID', { path: 'body', problem: 'holds a number that is too large' })
    level = level.flatMap((value) => (typeof value === 'object' && value !== null && !Buffer.isBuffer(value) ? Object.values(value) : []))
  }
}

// Keys that every storage can hold, and that cannot leave the directory or prefix of a storage.

import { IronlawError } from '@ironlaw/contracts'

const MOST_KEY_BYTES = 900
const MOST_PART_BYTES = 240

/** Where a directory keeps what is not written completely yet. */
export const STAGING = '.staging'

export function checkKey(key: string): void {
  const problem = keyProblem(key)
  if (problem !== undefined)
    throw new IronlawError('IL_STORAGE', {
      act: 'use the key',
      key: JSON.stringify(key.slice(0, MOST_KEY_BYTES)),
      storage: 'object storage',
      reason: problem,
      next: 'use a relative key with forward slashes, without "." and ".."',
    })
}

function keyProblem(key: string): string | undefined {
  if (!key.isWellFormed()) return 'it is not well-formed Unicode'
  if (/[\p{Cc}\\]/u.test(key)) return 'it has a control character or a backslash'
  if (Buffer.byteLength(key) > MOST_KEY_BYTES) return `it is longer than ${MOST_KEY_BYTES} bytes`
  const parts = key.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'a part of it is empty, "." or ".."'
  if (parts.some((part) => Buffer.byteLength(part) > MOST_PART_BYTES)) return `a part of it is longer than ${MOST_PART_BYTES} bytes`
  return parts[0] === STAGING ? `"${STAGING}" is for unfinished writes` : undefined
}

/** The order of UTF-8, which S3 lists in; that of JavaScript's strings differs beyond the basic plane. */
export const byKey = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

// Which failures of a run that makes a dataset every attempt would meet again: those of the spec and of what it names. Storage, the control plane and
// whatever is lost on the way may be there the next time.

import { isAbsolute, relative } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'

const OF_THE_SPEC: ReadonlySet<string> = new Set(['IL_VIOLATED', 'IL_SPEC', 'IL_DOCUMENT'])
/** Others, such as too many open files or a stale handle, pass. */
const OF_THE_PATH: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'])

/** @param own directories of the run: files that are missing there were removed by another process of it */
export function isFinal(error: unknown, own: readonly string[]): boolean {
  if (!(error instanceof IronlawError)) return false
  if (OF_THE_SPEC.has(error.code)) return true
  if (error.code !== 'IL_FILE') return false
  const { code, path, syscall }: { code?: unknown; path?: unknown; syscall?: unknown } = Object(error.cause)
  // No call failed: the content of a source is not what its name says.
  if (syscall === undefined) return true
  return OF_THE_PATH.has(code) && !own.some((directory) => isInside(directory, String(path)))
}

function isInside(directory: string, path: string): boolean {
  const from = relative(directory, path)
  return !from.startsWith('..') && !isAbsolute(from)
}

/** One line: the last that a process prints is the reason of its end. */
export const reasonText = ({ code, message, next }: IronlawError): string => `${code}: ${message}; ${next}`.replaceAll(/\s*\n\s*/g, ' ')

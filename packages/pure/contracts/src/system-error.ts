// Failures of the operating system that a user can do something about, as errors of the catalogue. Programs look here before they call
// something unexpected: a full disk or a port in use is no fault of ours.

import { IronlawError } from './error.ts'

type SystemError = Error & {
  readonly code: string
  readonly syscall?: string
  readonly path?: string
  readonly address?: string
  readonly port?: number
}

/** Undefined where it is none that we know what to say about. */
export function systemError(cause: unknown): IronlawError | undefined {
  if (!isSystemError(cause)) return undefined
  const { code, syscall, path } = cause
  if (syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo') return listenError(cause)
  if (code === 'ENOSPC' || code === 'EDQUOT') return new IronlawError('IL_DISK_FULL', { path: path ?? 'a file' }, { cause })
  if (syscall?.startsWith('spawn') && code === 'ENOENT')
    return new IronlawError(
      'IL_FILE',
      { path: path ?? syscall.replace(/^spawn /, ''), reason: 'there is no such program' },
      { cause, next: 'install it, or name another' },
    )
  const reason = REASONS[code]
  if (reason === undefined || path === undefined) return undefined
  return new IronlawError(WRITES.has(syscall ?? '') || code === 'EROFS' ? 'IL_WRITE' : 'IL_FILE', { path, reason }, { cause })
}

/** What codes of errno(3) mean to a person. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links go in a circle',
  EMFILE: 'this process has too many open files',
}

const WRITES: ReadonlySet<string> = new Set(['mkdir', 'rename', 'unlink', 'rmdir', 'write', 'chmod', 'copyfile', 'ftruncate', 'link'])

/** The reason alone, for errors that name the path themselves. */
export const systemReason = (cause: unknown): string | undefined => (isSystemError(cause) ? REASONS[cause.code] : undefined)

const PRIVILEGED = 1024

function listenError(cause: SystemError): IronlawError {
  const { code, address = '', port } = cause
  const at = port === undefined ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`
  const listenFailure = (reason: string, next: string): IronlawError =>
    new IronlawError('IL_LISTEN', { address: at, reason, next }, { cause })
  if (code === 'EADDRINUSE')
    return listenFailure(
      'another process uses that port',
      `stop that process ("ss -ltnp 'sport = :${port ?? ''}'" names it), or choose another port; 0 takes any free one`,
    )
  if (code === 'EACCES' && port !== undefined && port < PRIVILEGED)
    return listenFailure('ports below 1024 need privileges', 'choose a port from 1024 on')
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return listenFailure('this machine has no such address', 'use 127.0.0.1 for this machine alone, or 0.0.0.0 for all its addresses')
  return listenFailure(cause.message, 'choose another address or port')
}

const isSystemError = (cause: unknown): cause is SystemError =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' && /^E[A-Z\d_]+$/.test(cause.code)

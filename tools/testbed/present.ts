// A look or an act on something that may be gone by now: nothing instead of an exception, when it is gone or owned by another user.

export function ifPresent<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && GONE.has(cause.code)) return undefined
    throw cause
  }
}

const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])

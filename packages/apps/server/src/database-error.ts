// A database that cannot be used at the start: which one, why, and what to do. Codes are PostgreSQL's (its manual, appendix A) and the system's.

import { IronlawError } from '@ironlaw/contracts'

type Explanation = { readonly reason: string; readonly next: string }

const OWN = 'leave --database out to use the database inside Ironlaw'

const EXPLAINED: Readonly<Record<string, (name: string) => Explanation>> = {
  ECONNREFUSED: () => ({ reason: 'no server listens there', next: `start PostgreSQL there, correct --database, or ${OWN}` }),
  ENOENT: () => ({ reason: 'there is no socket of a server', next: `start PostgreSQL there, correct --database, or ${OWN}` }),
  ENOTFOUND: () => ({ reason: 'there is no host of that name', next: `correct the host in --database, or ${OWN}` }),
  EAI_AGAIN: () => ({ reason: 'the name of the host cannot be resolved now', next: `check the network, or ${OWN}` }),
  ETIMEDOUT: () => ({ reason: 'no answer', next: 'check the address, the network and its firewall' }),
  ECONNRESET: () => ({ reason: 'the connection was cut', next: 'check that PostgreSQL is what listens there' }),
  '28P01': () => ({ reason: 'the password is wrong', next: 'correct the user and password in --database' }),
  '28000': () => ({ reason: 'the user may not log in', next: 'correct the user in --database, or let it in (pg_hba.conf)' }),
  '3D000': (name) => ({ reason: 'there is no database of that name', next: `create it with "createdb ${name}", or correct --database` }),
  '42501': () => ({ reason: 'the user may not create tables there', next: 'make it the owner of the database' }),
  '53300': () => ({ reason: 'the server has no connections left', next: 'raise max_connections, or stop other clients' }),
  '57P03': () => ({ reason: 'the server is starting up', next: 'try again in a few seconds' }),
}

/** Undefined where it is no failure of the database at that address. */
export function databaseError(cause: unknown, address: string): IronlawError | undefined {
  if (cause instanceof IronlawError) return undefined
  if (isDiskFull(cause)) return new IronlawError('IL_DISK_FULL', { path: address }, { cause })
  if (!/^postgres(?:ql)?:\/\//.test(address)) return undefined
  if (!URL.canParse(address))
    return explainedError(address, { reason: 'it is not a URL', next: 'write it as postgres://USER@HOST:5432/NAME' }, cause)
  const url = new URL(address)
  url.password = ''
  url.searchParams.delete('password')
  // Of several addresses of one host the first speaks for all.
  const [first]: unknown[] = cause instanceof AggregateError ? cause.errors : [cause]
  const { code = '', syscall }: { readonly code?: unknown; readonly syscall?: unknown } = Object(first)
  const name = decodeURIComponent(url.pathname.slice(1)) || 'ironlaw'
  if (isTimeout(first))
    return explainedError(url.href, { reason: 'no answer', next: 'check the address, the network and its firewall' }, cause)
  // Files have codes like these, too.
  const isOfServer = syscall === undefined || syscall === 'connect' || syscall === 'getaddrinfo' || syscall === 'read'
  const known = isOfServer ? EXPLAINED[String(code)] : undefined
  return known && explainedError(url.href, known(name), cause)
}

/** ENOSPC as WASI counts it, which the database inside this process is built for. */
const WASI_ENOSPC = 51

/** PostgreSQL's own code, or what the file system of the database inside this process throws, which is no Error. */
function isDiskFull(cause: unknown): boolean {
  const { name, errno, code }: { readonly name?: unknown; readonly errno?: unknown; readonly code?: unknown } = Object(cause)
  return code === '53100' || (name === 'ErrnoError' && errno === WASI_ENOSPC)
}

const isTimeout = (cause: unknown): boolean =>
  cause instanceof Error && /timeout exceeded when trying to connect|said nothing for/.test(cause.message)

const explainedError = (database: string, { reason, next }: Explanation, cause: unknown): IronlawError =>
  new IronlawError('IL_DATABASE', { database, reason, next }, { cause })

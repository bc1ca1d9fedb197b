// PostgreSQL beyond loopback: encrypted, with the server's certificate and name checked, unless the URL itself says otherwise.

import { isLoopbackHost } from './loopback.ts'

export type DatabaseUrl = {
  readonly url: string
  /** Why the connection is not protected, where the URL says so itself. */
  readonly warning?: string
}

/** Without encryption, or without a look at the certificate. */
const UNPROTECTED: ReadonlySet<string> = new Set(['disable', 'no-verify'])

/** The client checks certificate and name in these modes too, unless it is told to do as libpq does. */
const UNPROTECTED_BY_LIBPQ: ReadonlySet<string> = new Set(['allow', 'prefer', 'require'])

/** Leaves what is not a PostgreSQL URL, a socket or an address of this machine as it is. */
export function secureDatabaseUrl(url: string): DatabaseUrl {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) return { url }
  const parsed = new URL(url)
  const host = parsed.searchParams.get('host') ?? decodeURIComponent(parsed.hostname)
  if (host === '' || host.startsWith('/') || isLoopbackHost(host)) return { url }
  const mode = parsed.searchParams.get('sslmode')
  if (mode === null) {
    // Appended as text: URL would escape a password or a path of a socket differently.
    return { url: `${url}${parsed.search === '' ? (url.endsWith('?') ? '' : '?') : '&'}sslmode=verify-full` }
  }
  const isLikeLibpq = parsed.searchParams.get('uselibpqcompat') === 'true'
  if (!UNPROTECTED.has(mode) && !(isLikeLibpq && UNPROTECTED_BY_LIBPQ.has(mode))) return { url }
  return {
    url,
    warning: `the connection to PostgreSQL at ${host} is not protected: its URL says sslmode=${mode}; leave it out, or say verify-full, with sslrootcert=FILE for an authority of your own`,
  }
}

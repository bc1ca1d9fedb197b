// For load balancers and supervisors, without a token: /healthz says that the process answers, /readyz that its database does too.

import { configVersion, type Database } from '@ironlaw/store'
import { sharedFor } from '../concurrent-calls/shared-result.ts'
import type { Api } from './ports.ts'

/** However many clients ask, the database is queried at most once a second. */
const SHARED_MS = 1000
const PING_MS = 2000

export function addHealthRoutes(app: Api, database: Database): void {
  const ping = sharedFor(SHARED_MS, () => answersInTime(configVersion(database)))
  const open = { config: { open: true as const }, schema: { hide: true }, logLevel: 'warn' as const }
  app.get('/healthz', open, (_request, reply) => reply.type('text/plain').send('ok\n'))
  app.get('/readyz', open, async (_request, reply) => {
    const isReady = await ping()
    return reply
      .code(isReady ? 200 : 503)
      .type('text/plain')
      .send(isReady ? 'ready\n' : 'the database does not answer\n')
  })
}

async function answersInTime(query: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), PING_MS)
  // Why it is not ready is in the log of the requests that fail.
  void query.then(
    () => resolve(true),
    () => resolve(false),
  )
  const answered = await promise
  clearTimeout(timer)
  return answered
}

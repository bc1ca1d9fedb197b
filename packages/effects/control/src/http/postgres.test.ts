// The same API over a real PostgreSQL, where requests do run concurrently, and which can go away.

import { openPostgres } from '@ironlaw/store'
import { describe, expect, test } from 'vitest'
import { apiBed, BED_TIMEOUT_MS, report, runRequest } from '../../test/api-bed.ts'
import { SERVER_ABSENT, startPrivateServer } from '../../test/postgres.ts'

describe.skipIf(SERVER_ABSENT !== undefined)(`PostgreSQL ${SERVER_ABSENT ?? ''}`, () => {
  test('concurrent requests with one key make one run; without a database the answer is 503', { timeout: BED_TIMEOUT_MS }, async () => {
    const server = await startPrivateServer()
    const bed = await apiBed({ database: openPostgres(server.url, { max: 8 }) })
    const as = bed.tokens.operator
    const headers = { 'idempotency-key': 'once' }
    const made = await Promise.all(
      Array.from({ length: 8 }, () => bed.call({ method: 'POST', url: '/v1/runs', as, body: runRequest({ name: 'once' }), headers })),
    )
    expect(new Set(made.map(({ status, json }) => `${status} ${json.id}`)).size).toBe(1)

    const { id, token } = await bed.newRun()
    const reports = Array.from({ length: 16 }, (_, index) => report({ index: index % 4, sequence: 1 + Math.floor(index / 4) }))
    const url = `/v1/runs/${id}/attempts/1/reports`
    const taken = await Promise.all(reports.map((body) => bed.call({ method: 'POST', url, as: token, body })))
    expect(taken.map(({ status }) => status)).toEqual(reports.map(() => 200))
    const feed = await bed.call({ method: 'GET', url: '/v1/events?limit=1000', as })
    expect(feed.json.items.filter(({ kind }: { kind: string }) => kind === 'run-created')).toHaveLength(2)
    const audit = await bed.call({ method: 'GET', url: '/v1/audit', as: bed.tokens.admin })
    expect(audit.json.items.every(({ intact }: { intact: boolean }) => intact)).toBe(true)

    await server.stop()
    for (let tries = 0; tries < 10; tries += 1)
      expect(await bed.call({ method: 'POST', url, as: token, body: report() })).toMatchObject({
        status: 503,
        json: { code: 'IL_UNAVAILABLE' },
        headers: { 'retry-after': '2', 'content-type': 'application/problem+json' },
      })
    await bed.close()
  })
})

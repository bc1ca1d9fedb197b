// The client that is derived from the operations, through the API that answers them.

import { client, pathOf } from '@ironlaw/contracts/api-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, runRequest } from '../../test/api-bed.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const api = client(async (url, { method, headers, body }) => {
  const {
    status,
    text,
    headers: answered,
  } = await bed.call({ method, url, as: bed.tokens.admin, headers, ...(body !== undefined && { body }) })
  if (status >= 400) throw new Error(`${status} ${text}`)
  return new Response(status === 204 ? null : text, {
    status,
    headers: Object.entries(answered).map(([name, value]): [string, string] => [name, String(value)]),
  })
})

test('a body goes out, an answer is checked and typed, a key makes the request idempotent', async () => {
  const request = { body: runRequest({ name: 'typed' }), headers: { 'idempotency-key': 'once' } }
  const run = await api.createRun(request)
  expect(run).toMatchObject({ name: 'typed', state: 'queued', attempt: 0 })
  expect((await api.createRun(request)).id).toBe(run.id)
  expect(await api.getRun({ id: run.id })).toEqual(run)
  expect((await api.cancelRun({ id: run.id })).id).toBe(run.id)
})

test('queries are sent as given, and what is undefined is left out', async () => {
  const { id } = await bed.newRun({ name: 'asked-for' })
  const { items } = await api.listRuns({ query: { name: 'asked-for', state: undefined, limit: 1 } })
  expect(items.map((run) => run.id)).toEqual([id])
  expect((await api.listNodes({})).items.length).toBe(3)
  await expect(api.listRuns({ query: { name: 'a b&limit=5', limit: 1 } })).rejects.toThrow('querystring.name')
})

test('parameters cannot leave their place in the path', async () => {
  expect(pathOf('getRun', { id: '../tokens?x#' })).toBe('/v1/runs/..%2Ftokens%3Fx%23')
  await expect(api.getDeployment({ name: 'there/is/none' })).rejects.toThrow('params.name')
})

test('an answer without a body is null, one with a header that callers need brings it', async () => {
  const { id } = await api.createToken({ body: { name: 'short', role: 'viewer' } })
  expect(await api.revokeToken({ id })).toBeNull()
  const run = await bed.newRun()
  expect(await api.readLog({ id: run.id, query: { attempt: 1 } })).toEqual({ value: '', header: '0' })
  const { etag } = await api.configureGateways({ body: { tenants: {}, keys: [] } })
  const { value, header } = await api.getGatewayConfig({})
  expect([value.keys, header]).toEqual([[], `"${etag}"`])
  const tenants = { a: {} }
  await expect(api.configureGateways({ body: { tenants, keys: [] }, headers: { 'if-match': '"old"' } })).rejects.toThrow('412')
})

test('what an operation does not take does not compile', () => {
  // @ts-expect-error: without its parameter
  expect(() => pathOf('getRun', {})).not.toThrow()
  // @ts-expect-error: a query that it does not have
  expect(() => pathOf('listRuns', { query: { states: 'failed' } })).not.toThrow()
})

// Who may do what, for every operation of the OpenAPI document that the server itself gives out.

import { BOOKS_OPEN_S } from '@ironlaw/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, report, SECRET, runRequest } from '../../test/api-bed.ts'
import { openApiDocument } from './open-api.ts'

let bed: ApiBed
let own: { readonly id: string; readonly token: string }
let other: { readonly id: string; readonly token: string }
beforeAll(async () => {
  bed = await apiBed()
  own = await bed.newRun()
  other = await bed.newRun()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

type Operation = { readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'; readonly path: string; readonly need: string }

async function operations(): Promise<readonly Operation[]> {
  const { json } = await bed.call({ method: 'GET', url: '/v1/openapi.json', as: bed.tokens.viewer })
  const paths: Record<string, Record<string, { security: [{ token: [string] }] | [] }>> = json.paths
  const methods = { get: 'GET', post: 'POST', put: 'PUT', delete: 'DELETE' } as const
  return Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const found = item[method]
      return found ? [{ method: methods[method], path, need: found.security[0]?.token[0] ?? 'open' }] : []
    }),
  )
}

const MAY: Readonly<Record<string, readonly string[]>> = {
  viewer: ['viewer', 'member', 'operator', 'admin'],
  'site:viewer': ['viewer', 'member', 'operator', 'admin'],
  member: ['member', 'operator', 'admin'],
  operator: ['operator', 'admin'],
  'site:operator': ['operator', 'admin'],
  admin: ['admin'],
  'site:admin': ['admin'],
  gateway: ['gateway', 'operator', 'admin'],
  run: ['own run'],
}

const call = ({ method, path }: Pick<Operation, 'method' | 'path'>, as?: string) =>
  bed.call({
    method,
    url: path
      .replace('{id}', path.includes('tokens') ? 'nobody' : own.id)
      .replace('{attempt}', '1')
      .replace('{replica}', '1')
      .replace('{project}', 'default')
      .replace('{name}', 'n1'),
    ...(as !== undefined && { as }),
    ...(method === 'POST' && path.endsWith('/reports') && { body: report() }),
    ...(path === '/v1/tokens' && method === 'POST' && { body: { name: 'made', role: 'viewer' } }),
  })

test('the table is the one that was agreed', async () => {
  expect((await operations()).map(({ method, path, need }) => `${need.padEnd(13)} ${method} ${path}`).toSorted()).toMatchInlineSnapshot(`
    [
      "admin         DELETE /v1/tokens/{id}",
      "admin         GET /v1/audit/records",
      "admin         GET /v1/tokens",
      "admin         POST /v1/tokens",
      "gateway       POST /v1/gateways/{name}/certificate",
      "gateway       POST /v1/gateways/{name}/profiles",
      "gateway       POST /v1/gateways/{name}/quota",
      "gateway       POST /v1/gateways/{name}/sync",
      "member        DELETE /v1/projects/{project}/artifacts/{artifact}",
      "member        POST /v1/plans",
      "member        POST /v1/projects/{project}/artifacts",
      "member        POST /v1/runs",
      "member        POST /v1/runs/{id}/cancel",
      "member        POST /v1/runs/{id}/resume",
      "member        PUT /v1/projects/{project}/artifact-names/{name}",
      "open          GET /v1/sign-in/options",
      "open          POST /v1/login",
      "open          POST /v1/sign-in/device",
      "open          POST /v1/sign-in/device/token",
      "open          POST /v1/sign-out",
      "operator      DELETE /v1/deployments/{name}",
      "operator      DELETE /v1/projects/{project}/secrets/{name}",
      "operator      GET /v1/projects/{project}/secrets",
      "operator      POST /v1/deployments",
      "operator      POST /v1/deployments/{name}/drills",
      "operator      POST /v1/deployments/{name}/revisions",
      "operator      POST /v1/deployments/{name}/rollout",
      "operator      POST /v1/projects/{project}/models/{artifact}/decisions",
      "operator      PUT /v1/deployments/{name}",
      "operator      PUT /v1/projects/{project}/secrets/{name}",
      "run           POST /v1/runs/{id}/agents",
      "run           POST /v1/runs/{id}/artifacts",
      "run           POST /v1/runs/{id}/attempts/{attempt}/logs",
      "run           POST /v1/runs/{id}/attempts/{attempt}/reports",
      "site:admin    DELETE /v1/sessions/{id}",
      "site:admin    GET /v1/audit",
      "site:admin    GET /v1/audit/sinks",
      "site:admin    GET /v1/budgets",
      "site:admin    GET /v1/budgets/{name}",
      "site:admin    GET /v1/gateway-config",
      "site:admin    GET /v1/sessions",
      "site:admin    POST /v1/artifact-storage/collect",
      "site:admin    POST /v1/audit/heads",
      "site:admin    POST /v1/certificates",
      "site:admin    POST /v1/secrets-key/rotate",
      "site:admin    PUT /v1/budgets/{name}",
      "site:admin    PUT /v1/gateway-config",
      "site:admin    PUT /v1/teams",
      "site:operator POST /v1/nodes/{name}/drain",
      "site:operator POST /v1/nodes/{name}/undrain",
      "site:viewer   GET /v1/certificates/authority",
      "site:viewer   GET /v1/gateways",
      "site:viewer   GET /v1/teams",
      "viewer        GET /metrics",
      "viewer        GET /v1/artifact-storage",
      "viewer        GET /v1/deployments",
      "viewer        GET /v1/deployments/{name}",
      "viewer        GET /v1/deployments/{name}/events",
      "viewer        GET /v1/deployments/{name}/figures",
      "viewer        GET /v1/deployments/{name}/profile",
      "viewer        GET /v1/deployments/{name}/replicas/{replica}/logs",
      "viewer        GET /v1/events",
      "viewer        GET /v1/ledger",
      "viewer        GET /v1/nodes",
      "viewer        GET /v1/openapi.json",
      "viewer        GET /v1/plans/{id}",
      "viewer        GET /v1/principal",
      "viewer        GET /v1/projects/{project}/artifact-names/{name}",
      "viewer        GET /v1/projects/{project}/artifacts",
      "viewer        GET /v1/projects/{project}/artifacts/{artifact}",
      "viewer        GET /v1/projects/{project}/artifacts/{artifact}/datasheet",
      "viewer        GET /v1/projects/{project}/artifacts/{artifact}/diff/{other}",
      "viewer        GET /v1/projects/{project}/artifacts/{artifact}/file",
      "viewer        GET /v1/projects/{project}/artifacts/{artifact}/manifest",
      "viewer        GET /v1/projects/{project}/artifacts/{artifact}/trace",
      "viewer        GET /v1/projects/{project}/models",
      "viewer        GET /v1/projects/{project}/models/{artifact}",
      "viewer        GET /v1/projects/{project}/models/{artifact}/card",
      "viewer        GET /v1/projects/{project}/releases",
      "viewer        GET /v1/runs",
      "viewer        GET /v1/runs/{id}",
      "viewer        GET /v1/runs/{id}/attempts",
      "viewer        GET /v1/runs/{id}/checkpoints",
      "viewer        GET /v1/runs/{id}/diff/{other}",
      "viewer        GET /v1/runs/{id}/events",
      "viewer        GET /v1/runs/{id}/ledger",
      "viewer        GET /v1/runs/{id}/logs",
      "viewer        GET /v1/runs/{id}/origin",
      "viewer        GET /v1/runs/{id}/steps",
      "viewer        POST /v1/login-codes",
      "viewer        POST /v1/tokens/{id}/rotate",
    ]
  `)
})

test(
  'every operation answers the roles that it names and no others',
  async () => {
    const tokens: Readonly<Record<string, string>> = {
      ...bed.tokens,
      'own run': own.token,
      'another run': other.token,
      bad: `il_${'x'.repeat(43)}`,
    }
    const wrong: string[] = []
    // What is open is tested in login.test.ts.
    for (const operation of (await operations()).filter(({ need }) => need !== 'open')) {
      const asNobody = await call(operation)
      if (
        asNobody.status !== 401 ||
        asNobody.json.code !== 'IL_UNAUTHENTICATED' ||
        asNobody.json.request !== asNobody.headers['x-request-id']
      )
        wrong.push(`${operation.path} answers nobody`)
      for (const [who, token] of Object.entries(tokens)) {
        const { status } = await call(operation, token)
        const expected = ['bad', 'revoked'].includes(who) ? 401 : MAY[operation.need]?.includes(who) ? 'open' : 403
        const seen = status === 401 || status === 403 ? status : 'open'
        if (seen !== expected) wrong.push(`${operation.method} ${operation.path} as ${who}: ${status}, expected ${expected}`)
      }
    }
    expect(wrong).toEqual([])
  },
  BED_TIMEOUT_MS,
)

describe('whatever is asked without a token is answered 401', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/v1/unknown'],
    ['GET', '/v1/runs/'],
    ['GET', '/%zz'],
    ['GET', '/v1/runs/%00'],
    ['HEAD', '/v1/runs'],
    ['OPTIONS', '/v1/runs'],
    ['PUT', '/v1/runs'],
    ['PATCH', '/metrics'],
    ['POST', '/v1/runs'],
  ] as const)('%s %s', async (method, url) => {
    const headers = { 'content-type': 'application/json' }
    const ask = (authorization: object) =>
      bed.api.inject({ method, url, headers: { ...headers, ...authorization }, ...(method === 'POST' && { payload: '{' }) })
    expect((await ask({})).statusCode).toBe(401)
    expect((await ask({ authorization: 'Basic eDp5' })).statusCode).toBe(401)
    const known = await ask({ authorization: `Bearer ${bed.tokens.operator}` })
    expect([200, 400, 404]).toContain(known.statusCode)
  })
})

test('the document of the server is the one of the reference', async () => {
  const { json } = await bed.call({ method: 'GET', url: '/v1/openapi.json', as: bed.tokens.viewer })
  expect(json).toEqual(JSON.parse(JSON.stringify(await openApiDocument())))
})

test(
  'secrets appear in no answer, event or log line',
  async () => {
    const shown: string[] = []
    const ask = async (asked: Parameters<typeof bed.call>[0]) => {
      const { text, headers } = await bed.call(asked)
      shown.push(text, JSON.stringify(headers))
    }
    const admin = bed.tokens.admin
    await ask({ method: 'POST', url: '/v1/runs', as: admin, body: runRequest(), headers: { 'idempotency-key': 'k' } })
    await ask({ method: 'POST', url: '/v1/runs', as: admin, body: runRequest(), headers: { 'idempotency-key': 'k' } })
    const crooked = { ...runRequest(), program: { ...runRequest().program, environment: { [`1${'BAD'}`]: SECRET, API_KEY: [SECRET] } } }
    await ask({ method: 'POST', url: '/v1/runs', as: admin, body: crooked })
    const json = { 'content-type': 'application/json' }
    await ask({ method: 'POST', url: '/v1/runs', as: admin, headers: json, body: `{"program": {"environment": {"A": "${SECRET}" x` })
    await ask({ method: 'GET', url: `/v1/runs?token=${admin}`, as: admin })
    await ask({ method: 'GET', url: `/v1/runs?token=${admin}` })
    for (const operation of await operations())
      if (operation.method === 'GET') for (const as of [admin, own.token]) shown.push((await call(operation, as)).text)
    const planted = [SECRET, ...Object.values(bed.tokens), own.token, other.token]
    for (const secret of planted) {
      expect(shown.filter((text) => text.includes(secret))).toEqual([])
      expect(bed.log()).not.toContain(secret)
    }
    expect(bed.log()).toContain('il_...')
  },
  BED_TIMEOUT_MS,
)

test('a fault behind the API is reported without the message of the database', async () => {
  await sql`alter table runs add constraint planted check (name <> 'forbidden')`.execute(bed.database)
  const answer = await bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.admin, body: runRequest({ name: 'forbidden' }) })
  await sql`alter table runs drop constraint planted`.execute(bed.database)
  expect(answer).toMatchObject({ status: 500, json: { code: 'IL_UNEXPECTED', title: 'unexpected fault of the server' } })
  expect(bed.log()).toContain('planted')
  expect(`${answer.text}${bed.log()}`).not.toContain(SECRET)
})

test('the token of a run opens it until ten minutes after its end; agents that still run are ordered to stop', async () => {
  const { id, token } = await bed.newRun()
  const post = (what: string, body: object | string, type: string) =>
    bed.call({ method: 'POST', url: `/v1/runs/${id}/attempts/1/${what}`, as: token, body, headers: { 'content-type': type } })
  const sendReport = (sequence: number) => post('reports', report({ sequence }), 'application/json')
  const sendLog = () => post('logs?node=0&rank=0&offset=0', 'text', 'text/plain')
  const end = (ended_at: number) => bed.database.updateTable('runs').set({ ended_at }).where('id', '=', id).execute()
  const { json } = await bed.call({ method: 'GET', url: `/v1/runs/${id}`, as: bed.tokens.viewer })
  await bed.database.updateTable('runs').set({ state: 'running' }).where('id', '=', id).execute()
  expect([(await sendReport(1)).status, (await sendLog()).status]).toEqual([200, 200])
  await sql`alter table runs disable trigger runs_terminal`.execute(bed.database)
  await bed.database.updateTable('runs').set({ state: 'succeeded', ended_at: json.created_at }).where('id', '=', id).execute()
  expect([(await sendReport(2)).status, (await sendLog()).status]).toEqual([200, 200])
  await end(json.created_at - BOOKS_OPEN_S)
  expect(await sendReport(3)).toMatchObject({ status: 409, json: { code: 'IL_FENCED' } })
  expect(await sendLog()).toMatchObject({ status: 409, json: { code: 'IL_FENCED' } })
  await sql`alter table runs enable trigger runs_terminal`.execute(bed.database)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, runRequest } from '../../test/api-bed.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const search = { name: 'search', projects: ['search', 'ranking'], members: [{ group: 'search-eng', role: 'member' }] }
const put = (teams: object, etag?: string) =>
  bed.call({
    method: 'PUT',
    url: '/v1/teams',
    as: bed.tokens.admin,
    body: teams,
    ...(etag !== undefined && { headers: { 'if-match': etag } }),
  })
const get = () => bed.call({ method: 'GET', url: '/v1/teams', as: bed.tokens.viewer })
const create = (project: string) =>
  bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.operator, body: runRequest({ project, team: 'claimed' }) })

test('the document is replaced by who has seen it, and decides which projects there are', async () => {
  expect((await get()).status).toBe(404)
  expect((await create('free')).json).toMatchObject({ project: 'free', team: 'claimed' })
  const first = await put({ administrators: ['platform'], teams: [search] })
  expect(first).toMatchObject({ status: 200, json: { number: 1 } })
  expect(await get()).toMatchObject({ status: 200, json: { teams: [search] }, headers: { etag: `"${first.json.etag}"` } })
  expect((await put({ teams: [] })).status).toBe(428)
  const vision = { name: 'vision', projects: ['vision'], members: [] }
  expect(await put({ administrators: ['platform'], teams: [search, vision] }, `"${first.json.etag}"`)).toMatchObject({
    json: { number: 2 },
  })
  const stale = await put({ teams: [] }, first.json.etag)
  expect(stale.status).toBe(412)
  expect(stale.json.title).toContain('teams added: vision, projects added: vision')

  expect((await create('ranking')).json).toMatchObject({ project: 'ranking', team: 'search' })
  expect(await create('free')).toMatchObject({ status: 400, json: { title: expect.stringContaining('no team has a project "free"') } })
  const revision = { model: 'm', argv: ['engine'], directory: '/' }
  const deploy = (project: string) =>
    bed.call({
      method: 'POST',
      url: '/v1/deployments',
      as: bed.tokens.operator,
      body: { name: 'chat', project, spec: { replicas: 1 }, revision },
    })
  expect((await deploy('free')).status).toBe(400)
  expect((await deploy('vision')).json).toMatchObject({ project: 'vision', team: 'vision' })
})

import { deploymentStream, eventsOf, openPostgres } from '@ironlaw/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { type DeployBed, deployBed, REVISION } from '../../test/deploy-bed.ts'
import { SERVER_ABSENT, startPrivateServer } from '../../test/postgres.ts'
import { changeDeployment } from './change-deployment.ts'
import { revise } from './make-deployment.ts'
import { DEPLOYMENT_SPEC } from '@ironlaw/contracts/deployment-api'

const SECRET = 'sk-1234'
const revision = { model: 'm', argv: ['engine', '1'], directory: '/', environment: { KEY: SECRET } }

function deploymentClient(bed: ApiBed, name: string) {
  const as = bed.tokens.operator
  const url = `/v1/deployments/${name}`
  const put = (body: object, { ifMatch, dryRun = false }: { readonly ifMatch?: string; readonly dryRun?: boolean } = {}) =>
    bed.call({
      method: 'PUT',
      url: dryRun ? `${url}?dry_run=true` : url,
      as,
      body,
      headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
    })
  return {
    put,
    get: () => bed.call({ method: 'GET', url, as }),
    make: (spec: object) => bed.call({ method: 'POST', url: '/v1/deployments', as, body: { name, spec, revision } }),
  }
}

describe('a living deployment', () => {
  let bed: ApiBed
  beforeAll(async () => {
    bed = await apiBed()
  }, BED_TIMEOUT_MS)
  afterAll(() => bed.close())

  test('is changed as it was shown, in one step, with an event that says by whom and what', async () => {
    const { put, get, make } = deploymentClient(bed, 'settings')
    await make({ replicas: 2 })
    const body = { spec: { replicas: 5, limits: { drain_s: 30 }, rollout: { stage_s: 60 } }, revision }
    const changes = [
      { path: 'limits.drain_s', next: 30 },
      { path: 'replicas', now: 2, next: 5 },
      { path: 'rollout.stage_s', next: 60 },
    ]
    const shown = await put(body, { dryRun: true })
    expect(shown.json).toMatchObject({ changes, deployment: { wanted: 2 } })
    const before = bed.wakes()
    const made = await put(body, { ifMatch: `"${shown.json.etag}"` })
    expect(made.json).toMatchObject({ changes, deployment: { wanted: 5, newest: 1, spec: { limits: { drain_s: 30 } } } })
    expect(made.json.revision).toBeUndefined()
    expect(bed.wakes()).toBe(before + 1)
    expect((await put(body, { ifMatch: `"${shown.json.etag}"` })).json.changes).toEqual([])
    expect((await put({ spec: { replicas: 6 } }, { ifMatch: String(made.headers['etag']) })).status).toBe(200)
    const { id } = (await get()).json
    const events = await eventsOf(bed.database, deploymentStream(id), { after: 0, limit: 9 })
    expect(events.map(({ kind }) => kind)).toEqual(['deployment-created', 'deployment-changed', 'deployment-changed'])
    expect(events[1]).toMatchObject({ actor: expect.stringContaining('operator'), body: { changes } })
  })

  test('gets a new revision where what serves differs, and never shows a value of its environment', async () => {
    const { put, make } = deploymentClient(bed, 'revised')
    await make({ replicas: 2 })
    const other = { ...revision, argv: ['engine', '2'], environment: { KEY: 'sk-5678', MORE: 'sk-9' } }
    const shown = await put({ spec: { replicas: 2 }, revision: other }, { dryRun: true })
    expect(shown.json.changes).toEqual([
      { path: 'revision.argv', now: '["engine","1"]', next: '["engine","2"]' },
      { path: 'revision.environment.KEY', now: 'set', next: 'set to another value' },
      { path: 'revision.environment.MORE', next: 'set' },
    ])
    expect(shown.json.revision).toBe(2)
    const made = await put({ spec: { replicas: 3 }, revision: other }, { ifMatch: String(shown.headers['etag']) })
    expect(made.json.deployment).toMatchObject({ newest: 2, stable: 1, wanted: 3, rollout: { revision: 2, state: 'canary' } })
    expect(made.text + shown.text).not.toContain('sk-')
    // Settings may change while it is tried, a third revision may not begin.
    const settings = await put(
      { spec: { replicas: 4, rollout: { shares: [0.3] } }, revision: other },
      { ifMatch: String(made.headers['etag']) },
    )
    expect(settings.json).toMatchObject({ deployment: { wanted: 4, newest: 2, rollout: { state: 'canary' } } })
    const third = await put({ spec: { replicas: 4 }, revision: { ...other, argv: ['engine', '3'] } }, { ifMatch: '*' })
    expect([third.status, third.json.title]).toEqual([409, 'revision 2 is being rolled out'])
  })

  test('is not changed by a client that has not seen its current state', async () => {
    const { put, get, make } = deploymentClient(bed, 'stale')
    await make({ replicas: 1 })
    const seen = String((await get()).headers['etag'])
    expect((await put({ spec: { replicas: 2 } })).json.code).toBe('IL_UNSEEN')
    expect((await put({ spec: { replicas: 2 } }, { ifMatch: seen })).status).toBe(200)
    const stale = await put({ spec: { replicas: 7 } }, { ifMatch: seen })
    expect([stale.status, stale.json.code]).toEqual([412, 'IL_STALE'])
    expect(stale.json.title).toMatch(/operator[^ ]*: replicas 1 to 2$/)
    for (const ifMatch of ['""', 'W/"1-zz"', '999999999999999-0', '"1-', '<script>', '-1'])
      expect((await put({ spec: { replicas: 7 } }, { ifMatch })).status).toBe(412)
    expect((await get()).json.spec.replicas).toBe(2)
  })

  test.each([
    [{ spec: { replicas: 1, scaling: { min: 4, max: 2, tokens_per_s: 5 } } }, 'spec.scaling.min'],
    [{ spec: { replicas: -1 } }, 'spec.replicas'],
    [{ spec: { replicas: 1, rollout: { shares: [] } } }, 'spec.rollout.shares'],
    [{ spec: { replicas: 1, limits: { drain_s: -1 } } }, 'spec.limits.drain_s'],
    [{ spec: { replicas: 1, probes: [{ prompt: '', expect: 'x' }] } }, 'spec.probes'],
    [{ spec: { replicas: 1 }, revision: { ...revision, argv: [] } }, 'revision.argv'],
    [{ spec: { replicas: 1 }, newest: 7 }, 'newest'],
    [{}, 'spec'],
  ])('refuses a mistake with its path: case %#', async (body, path) => {
    const { put, make } = deploymentClient(bed, 'mistakes')
    await make({ replicas: 1 })
    const { status, json } = await put(body, { ifMatch: '*' })
    expect([status, json.code]).toEqual([400, 'IL_INVALID'])
    expect(json.title).toContain(path)
  })

  test('is changed by operators only, and not while it is being removed', async () => {
    const { put, make } = deploymentClient(bed, 'going')
    await make({ replicas: 1 })
    const url = '/v1/deployments/going'
    const change = { method: 'PUT', url, body: { spec: { replicas: 2 } }, headers: { 'if-match': '*' } } as const
    for (const as of [bed.tokens.viewer, bed.tokens.gateway, bed.tokens.revoked])
      expect([401, 403]).toContain((await bed.call({ ...change, as })).status)
    await bed.call({ method: 'DELETE', url, as: bed.tokens.operator })
    expect((await put({ spec: { replicas: 2 } }, { ifMatch: '*' })).json.title).toBe('deployment "going" is being removed')
    expect((await bed.call({ ...change, url: '/v1/deployments/nobody', as: bed.tokens.operator })).status).toBe(404)
  })
})

describe.skipIf(SERVER_ABSENT !== undefined)(`PostgreSQL ${SERVER_ABSENT ?? ''}`, () => {
  test('of many who change it at once, one does, and the others learn what it did', { timeout: BED_TIMEOUT_MS }, async () => {
    const server = await startPrivateServer()
    const bed = await apiBed({ database: openPostgres(server.url, { max: 8 }) })
    const { put, get, make } = deploymentClient(bed, 'crowd')
    await make({ replicas: 1 })
    for (let round = 0; round < 5; round += 1) {
      const ifMatch = String((await get()).headers['etag'])
      const asked = Array.from({ length: 8 }, (_, index) => 10 * (round + 1) + index)
      const answers = await Promise.all(asked.map((replicas) => put({ spec: { replicas } }, { ifMatch })))
      const won = answers.find(({ status }) => status === 200)
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, ...Array(7).fill(412)])
      const { wanted, spec } = (await get()).json
      expect([wanted, spec.replicas]).toEqual([won?.json.deployment.wanted, won?.json.deployment.wanted])
      for (const { json } of answers.filter(({ status }) => status === 412)) expect(json.title).toContain(`to ${wanted}`)
    }
    await bed.close()
    await server.stop()
  })
})

describe('with replicas that serve', () => {
  const TIMEOUT_MS = 120_000
  let bed: DeployBed
  const changeSpec = (spec: object) =>
    changeDeployment(
      bed.database,
      { spec: DEPLOYMENT_SPEC.parse({ replicas: 2, ...spec }) },
      { name: 'chat', actor: 'ada', at: bed.now(), rule: bed.ports.rollout, ifMatch: '*', dryRun: false },
    )

  test('the number follows at once, and so does a rule for it', { timeout: TIMEOUT_MS }, async () => {
    bed = await deployBed()
    await bed.deploy()
    await bed.pass(4)
    await changeSpec({ replicas: 4 })
    await bed.pass(4)
    expect(await bed.brief()).toEqual(Array(4).fill('serving 1'))
    await changeSpec({ replicas: 1 })
    await bed.pass(6)
    expect(await bed.brief()).toEqual(['serving 1'])
    await changeSpec({ scaling: { min: 3, max: 5, tokens_per_s: 1000 } })
    expect(await bed.deployment()).toMatchObject({ wanted: 3 })
    await bed.pass(4)
    expect(await bed.brief()).toEqual(Array(3).fill('serving 1'))
  })

  test('a trial goes on under the new rule, in a stage that the rule has', { timeout: TIMEOUT_MS }, async () => {
    bed = await deployBed()
    await bed.deploy({ rollout: { shares: [0.1, 0.2, 0.5], stage_s: 10_000 } })
    await bed.pass(4)
    await revise(
      bed.database,
      { ...REVISION, argv: ['engine', '2'] },
      { name: 'chat', actor: 'ada', at: bed.now(), rule: bed.ports.rollout },
    )
    for (let at = 0; at < 400 && (await bed.deployment()).rollout?.stage !== 1; at += 10) await bed.pass(10, 100)
    expect(await bed.deployment()).toMatchObject({ rollout: { state: 'canary', stage: 1 } })
    await changeSpec({ rollout: { shares: [0.4] } })
    expect(await bed.deployment()).toMatchObject({ rollout: { state: 'canary', stage: 0, revision: 2 } })
    for (let at = 0; at < 400 && (await bed.deployment()).stable === 1; at += 10) await bed.pass(10, 100)
    expect(await bed.deployment()).toMatchObject({ stable: 2, rollout: { state: 'promoted' } })
  })
})

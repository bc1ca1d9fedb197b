import { planId } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import { applyUnderLease, leaseDue } from '@ironlaw/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleServingPlan, sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { expositionProblems } from '@ironlaw/contracts/exposition'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, report, runRequest } from '../../test/api-bed.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const get = (url: string, as = bed.tokens.viewer) => bed.call({ method: 'GET', url, as })
const post = (url: string, body: object | undefined, as = bed.tokens.operator) =>
  bed.call({ method: 'POST', url, as, ...(body && { body }) })

/** As a newer planner would make it: its id is that of the content, of which a field is not known here. */
const newerContent = { ...sampleTrainingPlan(), placement: 'torus' }
const newerPlan = { ...newerContent, id: planId(newerContent) }
const { prediction } = sampleTrainingPlan()
const oddPlan = { ...sampleTrainingPlan(), prediction: { ...prediction, causes_s: { gremlins: 1 } } }

describe('runs', () => {
  test('a run is made, shown, listed and found by name', async () => {
    const made = await post('/v1/runs', runRequest({ name: 'made' }))
    expect(made).toMatchObject({
      status: 201,
      json: { state: 'queued', attempt: 0, steps: 977, predicted_step_s: 0.5, environment: ['API_KEY'] },
    })
    expect((await get(`/v1/runs/${made.json.id}`)).json).toEqual(made.json)
    expect((await get('/v1/runs?name=made')).json.items).toEqual([made.json])
    expect((await get(`/v1/runs?name=${made.json.id}`)).json.items).toEqual([made.json])
    expect((await get(`/v1/plans/${made.json.plan}`)).json).toMatchObject({ kind: 'TrainingPlan', body: runRequest().plan })
  })

  test('a job has no plan that people see, no prediction and no steps, unless it says how many', async () => {
    const content = { apiVersion: 'ironlaw/v1', kind: 'Job', name: 'any', processes: 4 } as const
    const plan = { ...content, id: planId(content) }
    const program = { argv: ['any.py'], directory: '/srv', environment: {}, stepPattern: 'step (?<step>\\d+)' }
    const made = await post(
      '/v1/runs',
      runRequest({ name: 'any', plan, program, shape: { nodes: 2, processesPerNode: 2, smaller: [], retries: 0 } }),
    )
    expect(made).toMatchObject({ status: 201, json: { kind: 'Job', state: 'queued', shape: { retries: 0 } } })
    expect(Object.keys(made.json)).not.toEqual(expect.arrayContaining(['predicted_step_s']))
    expect(made.json).not.toHaveProperty('steps')
    const counted = { ...content, steps: 200 }
    expect((await post('/v1/runs', runRequest({ plan: { ...counted, id: planId(counted) } }))).json).toMatchObject({
      kind: 'Job',
      steps: 200,
    })
    for (const stepPattern of ['(?<loss>.*)', '(?<step>', 'x'.repeat(501)])
      expect(await post('/v1/runs', runRequest({ plan, program: { ...program, stepPattern } }))).toMatchObject({ status: 400 })
  })

  test('an idempotency key makes one run; for another body it is refused', async () => {
    const headers = { 'idempotency-key': 'once' }
    const ask = (name: string) =>
      bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.operator, body: runRequest({ name }), headers })
    const [first, again] = await Promise.all([ask('keyed'), ask('keyed')])
    expect(again.json).toEqual(first?.json)
    expect((await get('/v1/runs?name=keyed')).json.items).toHaveLength(1)
    expect(await ask('other')).toMatchObject({ status: 409, json: { code: 'IL_CONFLICT' } })
  })

  test('pages hold every run once', async () => {
    const ids = []
    for (let index = 0; index < 5; index += 1) ids.push((await post('/v1/runs', runRequest({ project: 'paged' }))).json.id)
    const seen = []
    for (let next: string | null = ''; next !== null;) {
      const page: { json: { items: { id: string }[]; next: string | null } } = await get(`/v1/runs?project=paged&limit=2&cursor=${next}`)
      seen.push(...page.json.items.map(({ id }) => id))
      next = page.json.next
    }
    expect(seen).toEqual(ids.toReversed())
    expect((await get('/v1/runs?project=paged&state=running,failed')).json.items).toEqual([])
    expect((await get('/v1/runs?project=paged&live=true')).json.items).toHaveLength(5)
  })

  test('cancelling asks for it and wakes the reconciler', async () => {
    const { id } = await bed.newRun()
    const before = bed.wakes()
    expect(await post(`/v1/runs/${id}/cancel`, undefined)).toMatchObject({ status: 200, json: { id } })
    expect(bed.wakes()).toBe(before + 1)
    expect((await get(`/v1/runs/${id}/events?newest=1`)).json.items).toMatchObject([{ kind: 'run-cancel-wanted' }])
    expect(await post('/v1/runs/nobody/cancel', undefined)).toMatchObject({ status: 404, json: { code: 'IL_NOT_FOUND' } })
  })

  test('resuming brings a run that has ended back, wakes the reconciler, and leaves one that goes on alone', async () => {
    const { id } = await bed.newRun()
    expect(await post(`/v1/runs/${id}/resume`, undefined)).toMatchObject({ status: 200, json: { state: 'starting' } })
    const lease = (await leaseDue(bed.database, { holder: 'test', at: 1e10, lease_s: 1, limit: 1000 })).find(({ run }) => run.id === id)
    const event = { kind: 'run-failed', actor: 'test', at: 1, body: {} }
    const outcome = { cause: 'no-progress', detail: 'none' } as const
    await applyUnderLease(
      bed.database,
      { run_id: id, token: lease?.token ?? 0 },
      { at: 1, state: 'failed', verdict: outcome, events: [event] },
    )
    const before = bed.wakes()
    expect(await post(`/v1/runs/${id}/resume`, undefined)).toMatchObject({ status: 200, json: { state: 'recovering', why: 'resumed' } })
    expect(bed.wakes()).toBe(before + 1)
    expect((await get(`/v1/runs/${id}/events?newest=1`)).json.items).toMatchObject([{ kind: 'run-resumed', actor: expect.any(String) }])
    expect(await post('/v1/runs/nobody/resume', undefined)).toMatchObject({ status: 404 })
  })

  test.each([
    ['a field that is missing', { ...runRequest(), name: undefined }, 'body.name'],
    ['a field deep inside', runRequest({ shape: { nodes: 0, processesPerNode: 1, smaller: [] } }), 'body.shape.nodes'],
    ['a plan that was altered', runRequest({ plan: { ...sampleTrainingPlan(), tokens: 5 } }), 'body.plan.id'],
    ['a plan without a kind', { ...runRequest(), plan: { id: 'plan-x' } }, 'body.plan.kind'],
    ['a plan of another version', { ...runRequest(), plan: { ...sampleTrainingPlan(), apiVersion: 'ironlaw/v2' } }, 'body.plan.apiVersion'],
    ['a plan with a field that is not known here', { ...runRequest(), plan: newerPlan }, 'body.plan.id'],
    ['a cause of a step that there is not', { ...runRequest(), plan: oddPlan }, 'body.plan.prediction.causes_s'],
  ])('%s is named', async (_what, body, path) => {
    const answer = await post('/v1/runs', body)
    expect(answer).toMatchObject({ status: 400, json: { code: 'IL_INVALID', status: 400 } })
    expect(answer.json.title).toContain(`${path}: `)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.json.request).toBe(answer.headers['x-request-id'])
  })
})

test('a serving plan is kept under its address, and only under its own', async () => {
  const plan = sampleServingPlan()
  expect(await post('/v1/plans', plan)).toMatchObject({ status: 201, json: { id: plan.id, kind: 'ServingPlan' } })
  expect((await get(`/v1/plans/${plan.id}`)).json.body).toEqual(plan)
  for (const changed of [
    { ...plan, kind: 'Other' },
    { ...plan, kind: 'TrainingPlan' },
    { ...plan, devices: 12 },
  ])
    expect(await post('/v1/plans', changed)).toMatchObject({ status: 400, json: { code: 'IL_INVALID' } })
  expect(await post('/v1/plans', {})).toMatchObject({ status: 400 })
})

describe('reports', () => {
  const row = (step: number) => ({ step, at: 1000 + step, seconds: 0.5, tokens: 1024, loss: 3, world: 4, phases_s: { compute: 0.4 } })
  const saved = { state: 'committed', step: 20, attempt: 1, bytes: 1e6, write_s: 2, pause_s: 0.5, at: 1000, manifest: 'm' } as const

  test('are kept once, shown as progress, and answered', async () => {
    const { id, token } = await bed.newRun()
    const url = `/v1/runs/${id}/attempts/1/reports`
    const body = report({ steps: [row(20), row(21)], checkpoints: [saved] })
    const first = await post(url, body, token)
    expect(first).toMatchObject({ status: 200, json: { stop: null } })
    expect(await post(url, body, token)).toMatchObject({ status: 200, json: { stop: null } })
    expect((await get(`/v1/runs/${id}/steps`)).json.items).toMatchObject([
      { step: 20, attempt: 1 },
      { step: 21, attempt: 1 },
    ])
    expect((await get(`/v1/runs/${id}`)).json).toMatchObject({ step: 21, loss: 3, step_s: 0.5, checkpoint_step: 20 })
    const { items } = (await get('/v1/runs')).json
    expect(items.find((each: { id: string }) => each.id === id)).toMatchObject({ step: 21, loss: 3, step_s: 0.5 })
    expect((await get(`/v1/runs/${id}/checkpoints`)).json.items).toMatchObject([{ state: 'committed', step: 20 }])
    expect((await get(`/v1/runs/${id}/attempts`)).json.items).toMatchObject([{ number: 1, state: 'submitted', last_step: 21 }])
  })

  test('set the interval only when a checkpoint was measured, and to what was asked when it was', async () => {
    const { id, token } = await bed.newRun()
    const url = `/v1/runs/${id}/attempts/1/reports`
    expect((await post(url, report(), token)).json.checkpoint_every_s).toBeNull()
    expect((await post(url, report({ sequence: 2, checkpoints: [saved] }), token)).json.checkpoint_every_s).toBe(1800)
    const fixed = await bed.newRun({ shape: { nodes: 2, processesPerNode: 2, smaller: [], checkpointEvery_s: 7 } })
    expect(
      (await post(`/v1/runs/${fixed.id}/attempts/1/reports`, report({ checkpoints: [saved] }), fixed.token)).json.checkpoint_every_s,
    ).toBe(7)
  })

  test('an exit or a completion wakes the reconciler, a beat does not', async () => {
    const { id, token } = await bed.newRun()
    const url = `/v1/runs/${id}/attempts/1/reports`
    const before = bed.wakes()
    await post(url, report(), token)
    expect(bed.wakes()).toBe(before)
    const exit = { node: 'n1', index: 0, rank: 0, code: 1, signal: null, at: 1000, tail: 'died\u0000 of it' }
    await post(url, report({ sequence: 2, exits: [exit] }), token)
    await post(url, report({ sequence: 3, notes: [{ kind: 'completed', at: 1000, detail: { step: 3 } }] }), token)
    expect(bed.wakes()).toBe(before + 2)
  })

  test('a run begins with a committed checkpoint of another, the newest or the one of a step', async () => {
    const { id, token } = await bed.newRun()
    const url = `/v1/runs/${id}/attempts/1/reports`
    await post(url, report({ checkpoints: [saved, { ...saved, step: 30 }, { ...saved, step: 40, state: 'refused' }] }), token)
    const startFrom = async (from: NonNullable<CreateRun['from']>) => {
      const { json } = await post('/v1/runs', runRequest({ from }))
      return (await get(`/v1/runs/${json.id}/events?newest=1`)).json.items[0].body.from
    }
    expect(await startFrom({ run: id })).toEqual({ run: id, step: 30 })
    expect(await startFrom({ run: id, step: 20 })).toEqual({ run: id, step: 20 })
    expect(await post('/v1/runs', runRequest({ from: { run: id, step: 40 } }))).toMatchObject({
      status: 400,
      text: expect.stringContaining('no committed checkpoint of step 40; its newest are of steps 20, 30'),
    })
    expect(await post('/v1/runs', runRequest({ from: { run: 'nobody' } }))).toMatchObject({ status: 404 })
  })

  test('of an attempt that was given up are fenced off; of one to come, unknown', async () => {
    const { id, token } = await bed.newRun()
    await bed.nextAttempt(id)
    expect(await post(`/v1/runs/${id}/attempts/1/reports`, report(), token)).toMatchObject({ status: 409, json: { code: 'IL_FENCED' } })
    expect(await post(`/v1/runs/${id}/attempts/3/reports`, report(), token)).toMatchObject({ status: 404, json: { code: 'IL_NOT_FOUND' } })
    expect(await post(`/v1/runs/${id}/attempts/2/reports`, report(), token)).toMatchObject({ status: 200 })
    await post(`/v1/runs/${id}/cancel`, undefined)
    expect((await post(`/v1/runs/${id}/attempts/2/reports`, report({ sequence: 2 }), token)).json.stop).toBe('preempt')
  })
})

describe('logs', () => {
  test('come in parts, repeated or torn, and are read as text from an offset', async () => {
    const { id, token } = await bed.newRun()
    const send = (offset: number, bytes: Buffer) =>
      bed.api.inject({
        method: 'POST',
        url: `/v1/runs/${id}/attempts/1/logs?node=0&rank=3&offset=${offset}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain; charset=utf-8' },
        payload: bytes,
      })
    const whole = Buffer.from('grüße\nvon Rang 3\n')
    expect((await send(0, whole.subarray(0, 3))).json()).toEqual({ offset: 3 }) // ends within ü
    const torn = await get(`/v1/runs/${id}/logs?rank=3`)
    expect([torn.text, torn.headers['x-next-offset']]).toEqual(['gr', '2'])
    expect((await send(10, whole.subarray(10))).json()).toEqual({ offset: 3 })
    expect((await send(1, whole.subarray(1))).json()).toEqual({ offset: whole.length })
    expect((await send(0, whole)).json()).toEqual({ offset: whole.length })
    const read = await get(`/v1/runs/${id}/logs?attempt=1&rank=3&offset=2`)
    expect([read.text, read.headers['x-next-offset']]).toEqual(['üße\nvon Rang 3\n', String(whole.length)])
    expect((await get(`/v1/runs/${id}/logs?rank=3&offset=-7`)).text).toBe('Rang 3\n')
    expect((await get(`/v1/runs/${id}/logs?rank=0`)).text).toBe('')
  })

  test('of a rank or an attempt that is not there the answer says which there are', async () => {
    const { id } = await bed.newRun()
    expect(await get(`/v1/runs/${id}/logs?rank=9`)).toMatchObject({
      status: 400,
      json: { code: 'IL_INVALID', title: `rank: attempt 1 of run ${id} has ranks 0 to 3, and no 9` },
    })
    expect(await get(`/v1/runs/${id}/logs?rank=0&attempt=7`)).toMatchObject({
      status: 400,
      json: { title: `attempt: run ${id} has attempts 1 to 1, and no 7` },
    })
    const { json } = await post('/v1/runs', runRequest())
    expect(await get(`/v1/runs/${json.id}/logs?rank=0`)).toMatchObject({ status: 200, text: '' })
  })
})

describe('nodes, tokens, audit, metrics', () => {
  test('a node is drained with a reason and returned', async () => {
    expect(await post('/v1/nodes/n2/drain', { reason: 'fan' })).toMatchObject({ status: 200, json: { state: 'drained', reason: 'fan' } })
    expect((await get('/v1/nodes')).json.items).toHaveLength(3)
    expect(await post('/v1/nodes/n2/undrain', undefined)).toMatchObject({ status: 200, json: { name: 'n2', state: 'idle' } })
    expect(await post('/v1/nodes/n9/drain', { reason: 'fan' })).toMatchObject({ status: 404 })
  })

  test('a token opens what its role may, until it is revoked', async () => {
    const made = await post('/v1/tokens', { name: 'ann', role: 'viewer' }, bed.tokens.admin)
    const { id, secret } = made.json
    expect((await get('/v1/runs', secret)).status).toBe(200)
    expect((await get('/v1/tokens', bed.tokens.admin)).text).not.toContain(secret)
    expect((await bed.call({ method: 'DELETE', url: `/v1/tokens/${id}`, as: bed.tokens.admin })).status).toBe(204)
    expect((await get('/v1/runs', secret)).status).toBe(401)
  })

  test('the audit covers every stream, and notices an altered event', async () => {
    const { id } = await bed.newRun()
    const verdicts = async () => (await get('/v1/audit?limit=1000', bed.tokens.admin)).json.items
    expect((await verdicts()).every((each: { intact: boolean }) => each.intact)).toBe(true)
    await bed.database
      .insertInto('events')
      .values({ stream: `run/${id}`, sequence: 9, at: 1, kind: 'forged', actor: 'x', body: '{}', previous_hash: '', hash: '' })
      .execute()
    expect(await verdicts()).toContainEqual({ stream: `run/${id}`, intact: false, sequence: 3, problem: 'missing' })
  })

  test('metrics count live runs, replicas, reports and requests', async () => {
    const revision = { model: 'm', argv: ['engine'], directory: '/' }
    await bed.call({
      method: 'POST',
      url: '/v1/deployments',
      as: bed.tokens.operator,
      body: { name: 'idle', spec: { replicas: 2 }, revision },
    })
    const { text } = await get('/metrics')
    expect(text).toMatch(/^ironlaw_deployment_replicas_wanted\{deployment="idle"\} 2$/m)
    expect(text).toMatch(/^ironlaw_runs\{state="starting"\} [1-9]/m)
    expect(text).toMatch(/^ironlaw_reports_total [1-9]/m)
    expect(text).toMatch(/^ironlaw_storage_hanging_calls 0$/m)
    expect(text).toMatch(/^ironlaw_run_attempts\{run="[^"]+",name="[^"]+",project="[^"]+"\} \d+$/m)
    expect(expositionProblems(text)).toEqual([])
    expect(text).toMatch(/duration_seconds_count\{operation="POST \/v1\/runs",status="201"\} [1-9]/)
  })
})

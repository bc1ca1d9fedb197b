import { DECISIONS, PURPOSE_FACTS, VERSION_STATES } from '@ironlaw/contracts/model-registry'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import type { DecidedAnswer } from '@ironlaw/policies/release'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { type RegistryBed, registryBed } from '../../test/registry-bed.ts'

let bed: ApiBed
let registry: RegistryBed

beforeAll(async () => {
  bed = await apiBed({ now: () => Date.now() / 1000 })
  registry = await registryBed(bed)
}, BED_TIMEOUT_MS)
afterAll(async () => {
  await bed.close()
  registry.close()
})

const ask: RegistryBed['ask'] = (...asked) => registry.ask(...asked)
const add: RegistryBed['add'] = (...added) => registry.add(...added)

const factsOf = (json: { known: readonly { fact: string; value: unknown; from: string }[] }) =>
  Object.fromEntries(json.known.map(({ fact, value, from }) => [fact, [value, from]]))

const PRICED = sampleTrainingPlan({ prediction: { duration_s: 100, cost_usd: 800 } })

test('a version shows what is stated, what its run was, what that used, and the evaluations that name it', async () => {
  const data = await add('corpus', { type: 'dataset' })
  await add('questions', { type: 'evaluation', facts: { language: 'en' } })
  const run = await bed.newRun({ uses: ['corpus', 'questions'], plan: PRICED })
  const model = await add('tiny', { type: 'model', facts: { code: 'f00', environment: 'image@sha256:1', card: 'README.md' }, run: run.id })
  const quality = await add('quality', { type: 'evaluation', facts: { model, accuracy: 0.8 } })
  await add('other-quality', { type: 'evaluation', facts: { model: `${model.slice(0, -1)}0`, accuracy: 0.1 } })
  const { json } = await ask('GET', '/models/tiny')
  expect(json).toMatchObject({ id: model, names: ['tiny'], made_by: run.id, lacks: [], evaluations: [{ id: quality, names: ['quality'] }] })
  expect(factsOf(json)).toMatchObject({
    code: ['f00', 'stated'],
    data: [[data], 'edges'],
    environment: ['image@sha256:1', 'stated'],
    configuration: [{ argv: ['train.py'] }, 'run'],
    run: [run.id, 'run'],
    hardware: [{ nodes: 2, processesPerNode: 2 }, 'run'],
    evaluations: [1, 'edges'],
    card: ['README.md', 'stated'],
  })
  // The run goes on: what it cost so far says nothing of the version.
  expect(json.missing.map(({ fact }: { fact: string }) => fact)).toEqual(['cost', 'energy', ...PURPOSE_FACTS])
  await bed.database
    .updateTable('runs')
    .set({ state: 'succeeded', ended_at: Date.now() / 1000 })
    .where('id', '=', run.id)
    .execute()
  expect(factsOf((await ask('GET', '/models/tiny')).json)).toMatchObject({ cost: [{ cost_usd: expect.any(Number) }, 'ledger'] })
})

test('the newest profile that names a version is its baseline', async () => {
  const model = await add('watched', { type: 'model' })
  expect((await ask('GET', '/models/watched')).json).not.toHaveProperty('baseline')
  await add('profile-of-may', { type: 'profile', facts: { model } })
  const newest = await add('profile-of-june', { type: 'profile', facts: { model, deployment: 'chat' } })
  await add('profile-of-files', { type: 'profile', facts: { rows: 400 } })
  const { json } = await ask('GET', '/models/watched')
  expect(json.baseline).toMatchObject({ id: newest, names: ['profile-of-june'], facts: { deployment: 'chat' } })
  expect(json.evaluations).toEqual([])
})

test('one that nothing is known of lists what is missing and how to state it; what is no model is no version', async () => {
  await add('bare', { type: 'model' })
  const { json } = await ask('GET', '/models/bare')
  expect(json.lacks).toEqual(['code', 'data', 'configuration', 'environment'])
  expect(json.missing[0]).toMatchObject({ fact: 'code', blocks: true, next: expect.stringContaining('--fact code=') })
  await add('words', { type: 'dataset' })
  expect((await ask('GET', '/models/words')).json).toMatchObject({ status: 409, title: expect.stringContaining('not a model') })
  expect((await ask('GET', '/models/nothing')).status).toBe(404)
  expect((await ask('GET', '/models/..%2Fartifacts')).status).toBe(400)
})

test('the list has models only, newest first, page by page, without what was removed', async () => {
  const [first, second] = [await add('one', { type: 'model' }), await add('two', { type: 'model' })]
  await add('no-model', { type: 'dataset' })
  const page = (await ask('GET', '/models?limit=1')).json
  expect(page).toMatchObject({ items: [{ id: second, lacks: ['code', 'data', 'configuration', 'environment'] }], next: expect.any(String) })
  expect((await ask('GET', `/models?limit=1&cursor=${page.next}`)).json.items).toMatchObject([{ id: first }])
  await add('two', { type: 'model' })
  await ask('DELETE', `/artifacts/${second}`)
  expect((await ask('GET', '/models')).json.items.map(({ id }: { id: string }) => id)).not.toContain(second)
  expect((await ask('GET', '/models?cursor=x')).status).toBe(400)
})

test('the list says what a version was trained on, how often it was evaluated and the newest decision', async () => {
  const model = await add('summed', { type: 'model', facts: { data: 'corpus@3' } })
  await add('summed-first', { type: 'evaluation', facts: { model } })
  await add('summed-second', { type: 'evaluation', facts: { model } })
  await ask('POST', '/models/summed/decisions', { answer: 'refused', seen: 0, why: 'worse' })
  await ask('POST', '/models/summed/decisions', { answer: 'retired', seen: 1, why: 'old' })
  const [item] = (await ask('GET', '/models?name=summed')).json.items
  expect(item).toMatchObject({
    id: model,
    data: 'corpus@3',
    evaluation_count: 2,
    decision: { number: 2, answer: 'retired' },
    state: 'retired',
  })
})

test('the list is filtered by a name, also one that has moved on, and by state', async () => {
  const [first, second] = [await add('moving', { type: 'model' }), await add('moving', { type: 'model' })]
  const idsOf = async (query: string): Promise<string[]> =>
    (await ask('GET', `/models?${query}`)).json.items.map(({ id }: { id: string }) => id)
  expect(await idsOf('name=moving')).toEqual([second, first])
  await add('standing', { type: 'model' })
  await ask('PUT', '/artifact-names/standing', { artifact: first })
  const { items } = (await ask('GET', '/models?name=moving')).json
  expect(items.map(({ versions }: { versions: string[] }) => versions)).toEqual([['moving@2'], ['standing@2', 'moving@1']])
  expect(await idsOf('name=moving&limit=1')).toEqual([second])
  expect(await idsOf('name=never')).toEqual([])
  await ask('POST', `/models/${first}/decisions`, { answer: 'refused', seen: 0, why: 'worse' })
  expect(await idsOf('name=moving&state=refused')).toEqual([first])
  expect(await idsOf('name=moving&state=candidate')).toEqual([second])
  expect((await ask('GET', '/models?state=better')).status).toBe(400)
})

/** Written as they are: the API refuses waivers that have ended. */
async function writeDecisions(artifact_id: string, decisions: readonly DecidedAnswer[]): Promise<void> {
  for (const { number, answer, until_at = null } of decisions)
    await bed.database
      .insertInto('decisions')
      .values({
        project: 'default',
        artifact_id,
        number,
        answer,
        until_at,
        rule: 'judgement',
        evidence: JSON.stringify({ artifacts: [], figures: [] }),
        why: 'drawn',
        at: 1,
        by: 'ada',
        role: answer === 'approved' ? 'operator' : null,
      })
      .execute()
}

test('the filter by state finds what the state of each version says, whatever was decided', { timeout: 60_000 }, async () => {
  const answer = fc.constantFrom(...DECISIONS)
  const history = fc.array(fc.tuple(answer, fc.integer({ min: -2, max: 2 })), { maxLength: 5 })
  const drawn = fc.sample(history, 40)
  for (const [index, decisions] of drawn.entries()) {
    const id = await add(`drawn-${index}`, { type: 'model' })
    await writeDecisions(
      id,
      decisions.map(([kind, days], at) => ({ number: at + 1, answer: kind, ...(kind === 'waived' && { until_at: inDays(days) - 0.5 }) })),
    )
  }
  const { items } = (await ask('GET', '/models?limit=1000')).json
  for (const state of VERSION_STATES) {
    const wanted = items.filter((each: { state: string }) => each.state === state).map(({ id }: { id: string }) => id)
    const found = (await ask('GET', `/models?limit=1000&state=${state}`)).json.items.map(({ id }: { id: string }) => id)
    expect([state, found]).toEqual([state, wanted])
  }
})

const COMPLETE = { code: 'f00', data: 'corpus@3', configuration: 'c0ffee', environment: 'image@sha256:1' }
const DAY_S = 86_400
const inDays = (days: number): number => Date.now() / 1000 + days * DAY_S

test('a version is released with its evidence, and what was decided is listed with who and why', async () => {
  const model = await add('chat', { type: 'model', facts: COMPLETE })
  const quality = await add('chat-quality', { type: 'evaluation', facts: { model } })
  expect((await ask('GET', '/models/chat')).json).toMatchObject({ state: 'candidate', decisions: [] })
  const evidence = { artifacts: ['chat-quality'], figures: [{ name: 'accuracy', value: 0.82 }] }
  const answer = await ask('POST', '/models/chat/decisions', { answer: 'released', seen: 0, why: 'as good', otherwise: 'a drop', evidence })
  expect(answer).toMatchObject({ status: 201, json: { number: 1, answer: 'released', rule: 'judgement', by: expect.any(String) } })
  expect(answer.json.evidence).toEqual({ artifacts: [quality], figures: [{ name: 'accuracy', value: 0.82 }] })
  expect((await ask('GET', '/models/chat')).json).toMatchObject({ state: 'released', decisions: [{ number: 1, otherwise: 'a drop' }] })
  expect((await ask('GET', '/models')).json.items).toContainEqual(expect.objectContaining({ id: model, state: 'released' }))
  expect((await ask('POST', '/models/chat/decisions', { answer: 'refused', seen: 0, why: 'worse' })).json).toMatchObject({
    status: 409,
    title: expect.stringMatching(/decided about .* meanwhile: released, "as good"/),
    next: expect.stringContaining('"seen": 1'),
  })
  await ask('POST', '/models/chat/decisions', { answer: 'refused', seen: 1, why: 'worse' })
  await ask('POST', '/models/chat/decisions', { answer: 'waived', seen: 2, why: 'for the demo', until_at: inDays(2) })
  expect((await ask('GET', '/models/chat')).json).toMatchObject({
    state: 'waived',
    decisions: [{ number: 3 }, { number: 2 }, { number: 1 }],
  })
})

test('one that lacks facts is neither released nor waived; the refusal names each and how to state it', async () => {
  await add('unknown-origin', { type: 'model', facts: { code: 'f00', data: 'corpus@3' } })
  for (const decision of [{ answer: 'released' }, { answer: 'waived', until_at: inDays(1) }])
    expect((await ask('POST', '/models/unknown-origin/decisions', { ...decision, seen: 0, why: 'x' })).json).toMatchObject({
      status: 409,
      title: 'unknown-origin cannot be released: it lacks configuration, environment',
      next: expect.stringMatching(/configuration: [^]*environment: ironlaw artifact add .*--fact environment=/),
    })
  expect((await ask('POST', '/models/unknown-origin/decisions', { answer: 'refused', seen: 0, why: 'x' })).status).toBe(201)
})

test('a request that is repeated with its key is one decision; two people at once are one decision and a conflict', async () => {
  await add('replayed', { type: 'model', facts: COMPLETE })
  const decide = (key: string, why: string, seen = 0) =>
    bed.call({
      method: 'POST',
      url: '/v1/projects/default/models/replayed/decisions',
      as: bed.tokens.operator,
      body: { answer: 'released', seen, why },
      headers: { 'idempotency-key': key },
    })
  const both = await Promise.all([decide('k1', 'good'), decide('k1', 'good'), decide('k2', 'better')])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 409])
  expect((await decide('k1', 'other')).json).toMatchObject({ status: 409, title: expect.stringContaining('idempotency key') })
  expect((await ask('GET', '/models/replayed')).json.decisions).toHaveLength(1)
})

test('what is malformed is refused with its field, and nothing is recorded', async () => {
  await add('hostile', { type: 'model', facts: COMPLETE })
  const fine = { answer: 'released', seen: 0, why: 'good' }
  for (const [body, field] of [
    [{ ...fine, answer: 'praised' }, 'answer'],
    [{ ...fine, seen: -1 }, 'seen'],
    [{ answer: 'released', why: 'good' }, 'seen'],
    [{ ...fine, why: ' ' }, 'why'],
    [{ ...fine, why: 'a\0b' }, 'why'],
    [{ ...fine, why: 'x'.repeat(2001) }, 'why'],
    [{ ...fine, until_at: inDays(1) }, 'until_at'],
    [{ ...fine, answer: 'waived' }, 'until_at'],
    [{ ...fine, answer: 'waived', until_at: inDays(-1) }, 'until_at'],
    [{ ...fine, answer: 'waived', until_at: inDays(400) }, 'until_at'],
    [{ ...fine, rule: 'a b' }, 'rule'],
    [{ ...fine, by: 'somebody-else' }, 'by'],
    [{ ...fine, evidence: { artifacts: ['../x'] } }, 'evidence.artifacts'],
    [{ ...fine, evidence: { figures: [{ name: 'a\nb', value: 1 }] } }, 'evidence.figures'],
  ] as const) {
    const answer = await ask('POST', '/models/hostile/decisions', body)
    expect([field, answer.status]).toEqual([field, 400])
    expect(answer.json.title).toContain(field)
  }
  expect((await ask('POST', '/models/hostile/decisions', { ...fine, evidence: { artifacts: ['nothing'] } })).status).toBe(404)
  const asMember = await bed.call({
    method: 'POST',
    url: '/v1/projects/default/models/hostile/decisions',
    as: bed.tokens.member,
    body: fine,
  })
  expect(asMember.status).toBe(403)
  expect((await ask('GET', '/models/hostile')).json).toMatchObject({ state: 'candidate', decisions: [] })
})

test('what a released version rests on is not deleted, and the refusal says what to do first', async () => {
  const corpus = await add('kept-corpus', { type: 'dataset' })
  const run = await bed.newRun({ uses: ['kept-corpus'] })
  const model = await add('kept', { type: 'model', facts: COMPLETE, run: run.id })
  await bed.database
    .updateTable('runs')
    .set({ state: 'succeeded', ended_at: Date.now() / 1000 })
    .where('id', '=', run.id)
    .execute()
  await ask('POST', '/models/kept/decisions', { answer: 'released', seen: 0, why: 'good' })
  await add('kept-corpus', { type: 'dataset' })
  await add('kept', { type: 'model' })
  expect((await ask('DELETE', `/artifacts/${model}`)).json).toMatchObject({
    status: 409,
    title: expect.stringContaining(`${model} is released`),
    next: expect.stringContaining(`ironlaw decide ${model} retire`),
  })
  expect((await ask('DELETE', `/artifacts/${corpus}`)).json.title).toContain(`${corpus} was used to make ${model}, which is released`)
  await ask('POST', `/models/${model}/decisions`, { answer: 'retired', seen: 1, why: 'replaced' })
  expect((await ask('DELETE', `/artifacts/${corpus}`)).status).toBe(200)
  expect((await ask('POST', `/models/${model}/decisions`, { answer: 'released', seen: 2, why: 'again' })).json).toMatchObject({
    status: 409,
    title: expect.stringContaining(`the content of ${corpus}, which its run used, was removed`),
  })
})

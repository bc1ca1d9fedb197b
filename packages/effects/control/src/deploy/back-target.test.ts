import { MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { type RegistryBed, registryBed } from '../../test/registry-bed.ts'

let bed: ApiBed
let registry: RegistryBed
const ids: string[] = []

const COMPLETE = { code: 'f00', data: 'corpus@3', configuration: 'c0ffee', environment: 'image@sha256:1' }
const ENGINE = ['engine', '--model', '/models/{version}']

beforeAll(async () => {
  bed = await apiBed({ now: () => Date.now() / 1000 })
  registry = await registryBed(bed)
  for (const each of [1, 2, 3, 4]) {
    ids.push(
      await registry.add('tiny', { type: 'model', facts: COMPLETE, files: { [MODEL_VERSION_FILE]: `${each}`, 'model.gguf': `${each}` } }),
    )
    if (each < 4) await registry.ask('POST', `/models/tiny@${each}/decisions`, { answer: 'released', seen: 0, why: 'good' })
  }
}, BED_TIMEOUT_MS)
afterAll(async () => {
  await bed.close()
  registry.close()
})

const revision = (version: string, argv = ENGINE) => ({ model: 'm', argv, directory: '/srv', version })
const post = (url: string, body: object) => bed.call({ method: 'POST', url: `/v1/deployments${url}`, as: bed.tokens.operator, body })
const back = (name: string, order: object) => post(`/${name}/rollout`, { do: 'back', ...order })

/** Revision 1 serves tiny@1, revision 2 tiny@2, and the second serves everybody. */
async function deployTwo(name: string, argv = ENGINE): Promise<void> {
  const spec = { replicas: 1, release: 'required' }
  expect((await post('', { name, spec, revision: revision('tiny@1', argv) })).status).toBe(201)
  expect((await post(`/${name}/revisions`, revision('tiny@2', argv))).status).toBe(201)
  const rollout = JSON.stringify({ revision: 2, stable: 1, state: 'promoted', stage: 0, since: 0 })
  await bed.database.updateTable('deployments').set({ stable: 2, rollout }).where('name', '=', name).execute()
}

test('a version that a revision served is gone back to as that revision', async () => {
  await deployTwo('named')
  expect((await back('named', { version: 'tiny@1' })).json).toMatchObject({ stable: 1, newest: 2, rollout: { revision: 1, stable: 2 } })
  expect((await back('named', { version: 'tiny@1' })).json).toMatchObject({ status: 409, title: expect.stringContaining('serves already') })
  expect((await back('named', {})).json).toMatchObject({ stable: 2 })
})

test('one that no revision served is a new revision, and so is a fresh start of an earlier one', async () => {
  await deployTwo('restored')
  expect((await back('restored', { version: 'tiny@3' })).json).toMatchObject({ stable: 3, newest: 3, previous: { revision: 2 } })
  const fresh = (await back('restored', { fresh: true })).json
  expect(fresh).toMatchObject({ stable: 4, newest: 4, previous: { revision: 3 } })
  const versions = fresh.revisions.map(({ version }: { version: { artifact: string } }) => version.artifact)
  expect(versions).toEqual([ids[0], ids[1], ids[2], ids[1]])
})

test('a version whose place the command does not say is no way back', async () => {
  await deployTwo('fixed', ['engine', '--model', '/models/tiny'])
  expect((await back('fixed', { version: 'tiny@3' })).json).toMatchObject({ status: 409, next: expect.stringContaining('DIR/{version}') })
  expect((await back('fixed', { version: 'tiny@1' })).json).toMatchObject({ stable: 1 })
})

test('what may not be deployed is no way back: by version, by number, or as the one before', async () => {
  await deployTwo('gated')
  expect((await back('gated', { version: 'tiny@4' })).json).toMatchObject({
    status: 409,
    title: expect.stringContaining('tiny@4 is candidate'),
  })
  await registry.ask('POST', '/models/tiny@1/decisions', { answer: 'retired', seen: 1, why: 'harmful' })
  for (const order of [{ version: 'tiny@1' }, { to: 1 }, {}])
    expect((await back('gated', order)).json).toMatchObject({ status: 409, title: expect.stringContaining('is retired') })
  expect((await back('gated', { to: 1, version: 'tiny@1' })).status).toBe(400)
  expect((await post('/gated/rollout', { do: 'promote', fresh: true })).status).toBe(400)
})

test('a command with the place of a version needs one', async () => {
  const { version: _, ...unversioned } = revision('tiny@2')
  const answer = await post('', { name: 'bare', spec: { replicas: 1 }, revision: unversioned })
  expect(answer.json).toMatchObject({ status: 400, title: expect.stringContaining('names no version') })
})

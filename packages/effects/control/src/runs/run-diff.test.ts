import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, report } from '../../test/api-bed.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed({ now: () => Date.now() / 1000 })
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const CODE = { commit: 'a'.repeat(40), path: '' }
const STEPS = 64

type TrainedRun = { readonly lr: string; readonly seed: string; readonly loss: number; readonly project?: string; readonly ended?: boolean }

/** A run whose loss is this, give or take what its seed and each step add. */
async function trained({ lr, seed, loss, project = 'default', ended = true }: TrainedRun): Promise<string> {
  const program = { argv: ['train.py', '--lr', lr, '--seed', seed], directory: '/srv', environment: {} }
  const { id, token } = await bed.newRun({ project, code: CODE, program, plan: sampleTrainingPlan() })
  const steps = Array.from({ length: STEPS }, (_, index) => ({
    step: index + 1,
    at: 1000 + index,
    seconds: 1 + 0.01 * ((index * 7) % 5),
    tokens: 10,
    loss: loss + 0.001 * ((index * 5 + Number(seed)) % 7),
    world: 4,
    phases_s: {},
  }))
  const sent = await bed.call({ method: 'POST', url: `/v1/runs/${id}/attempts/1/reports`, as: token, body: report({ steps }) })
  expect(sent.status, sent.text).toBe(200)
  if (ended)
    await bed.database
      .updateTable('runs')
      .set({ state: 'succeeded', ended_at: Date.now() / 1000 })
      .where('id', '=', id)
      .execute()
  return id
}

const diff = async (from: string, to: string, as = bed.tokens.viewer) =>
  (await bed.call({ method: 'GET', url: `/v1/runs/${from}/diff/${to}`, as })).json
const lossOf = (json: { results: readonly { measure: string }[] }) => json.results.find(({ measure }) => measure === 'loss')

test('one run of each recipe: the argument that differs, and that the noise between seeds is not known', async () => {
  const [first, second] = [await trained({ lr: '1', seed: '1', loss: 2 }), await trained({ lr: '2', seed: '1', loss: 1.5 })]
  const json = await diff(first, second)
  expect(json).toMatchObject({
    from: first,
    to: second,
    same_recipe: false,
    differences: [{ part: 'configuration', field: 'argv.--lr', before: '1', after: '2' }],
    more: 0,
  })
  expect(json.unknown).toContainEqual({ run: first, part: 'environment' })
  expect(lossOf(json)).toMatchObject({
    difference: expect.closeTo(-0.5, 6),
    judged: { verdict: 'noise between runs unknown', from: 'steps', count: STEPS },
  })
  const itself = await diff(first, first)
  expect(itself).toMatchObject({ same_recipe: true, differences: [] })
  expect(lossOf(itself)).toMatchObject({ difference: 0, judged: { verdict: 'within noise' } })
})

test('repetitions say how far apart equal runs are: a small difference is noise, a large one is not', async () => {
  const base = [
    await trained({ lr: '3', seed: '1', loss: 2 }),
    await trained({ lr: '3', seed: '2', loss: 2.02 }),
    await trained({ lr: '3', seed: '3', loss: 1.99 }),
  ]
  const close = await trained({ lr: '4', seed: '1', loss: 2.01 })
  const far = await trained({ lr: '5', seed: '1', loss: 1.5 })
  // Halfway, it says nothing of how far apart equal runs end.
  await trained({ lr: '3', seed: '4', loss: 9, ended: false })
  const [first = ''] = base
  expect(lossOf(await diff(first, close))).toMatchObject({ judged: { verdict: 'within noise', from: 'repetitions', count: 4 } })
  expect(lossOf(await diff(first, far))).toMatchObject({ judged: { verdict: 'beyond noise', from: 'repetitions', count: 4 } })
  const same = await diff(first, base[1] ?? '')
  expect(same).toMatchObject({ same_recipe: true, differences: [{ field: 'argv.--seed' }] })
  expect(lossOf(same)).toMatchObject({ judged: { verdict: 'within noise', count: 3 } })
})

test('runs that report nothing have no results but their time; an unknown run is not found', async () => {
  const [one, other] = [await bed.newRun(), await bed.newRun()]
  const json = await diff(one.id, other.id)
  expect(lossOf(json)).toBeUndefined()
  expect(json.unknown).toContainEqual({ run: one.id, part: 'code' })
  expect(json.results).toContainEqual(expect.objectContaining({ measure: 'wall time' }))
  expect(await diff(one.id, 'nothing')).toMatchObject({ status: 404 })
})

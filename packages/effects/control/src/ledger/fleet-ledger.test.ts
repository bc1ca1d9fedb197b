import { LEDGER, TIME_CAUSES } from '@ironlaw/contracts/ledger'
import { FLEET_LEDGER } from '@ironlaw/contracts/ledger-fleet'
import { applyUnderLease, BOOKS_OPEN_S, leaseDue } from '@ironlaw/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, report } from '../../test/api-bed.ts'
import { closeBooks } from './bookkeeper.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const plan = (cost_usd: number) =>
  sampleTrainingPlan({
    prediction: { step_s: 8, causes_s: { products: 8 }, mfu: 0.4, duration_s: 100, cost_usd, energy_j: 1e6, carbon_g: 50 },
  })

const get = async (url: string) => (await bed.call({ method: 'GET', url, as: bed.tokens.viewer })).json

/** A run that did some steps and ended. */
async function finished(of: { readonly project: string; readonly team: string; readonly steps: number; readonly cost_usd?: number }) {
  const { project, team, steps, cost_usd } = of
  const { id, token } = await bed.newRun({ project, team, ...(cost_usd !== undefined && { plan: plan(cost_usd) }) })
  const { from_at } = LEDGER.parse(await get(`/v1/runs/${id}/ledger`))
  const rows = Array.from({ length: steps }, (_, index) => ({
    step: index + 1,
    at: from_at + 20 + 10 * index,
    seconds: 10,
    tokens: 1,
    world: 4,
    phases_s: { compute: 8, communication: 2 },
  }))
  await bed.call({ method: 'POST', url: `/v1/runs/${id}/attempts/1/reports`, as: token, body: report({ steps: rows }) })
  const at = from_at + 30 + 10 * steps
  const lease = (await leaseDue(bed.database, { holder: 'test', at, lease_s: 1e-3, limit: 1000 })).find(({ run }) => run.id === id)
  await applyUnderLease(
    bed.database,
    { run_id: id, token: lease?.token ?? 0 },
    { at, state: 'succeeded', events: [{ kind: 'run-succeeded', actor: 'test', at, body: {} }] },
  )
  return id
}

test('the fleet has what its runs have, each once, when their books are closed', async () => {
  const ids = [
    await finished({ project: 'a', team: 'x', steps: 3, cost_usd: 100 }),
    await finished({ project: 'a', team: 'y', steps: 2 }),
    await finished({ project: 'b', team: 'y', steps: 5, cost_usd: 900 }),
  ]
  const close = (now: number) => closeBooks({ database: bed.database, now: () => now })
  expect(await close(0)).toEqual({ due: 0, failed: [] })
  expect(await get('/v1/ledger')).toMatchObject({ runs: 0, unbooked: 3 })
  const later = 1e6 + BOOKS_OPEN_S
  expect(await close(later)).toEqual({ due: 3, failed: [] })
  expect(await close(later)).toEqual({ due: 0, failed: [] })

  const ledgers = await Promise.all(ids.map(async (id) => LEDGER.parse(await get(`/v1/runs/${id}/ledger`))))
  const fleet = FLEET_LEDGER.parse(await get('/v1/ledger?by=team'))
  const total = (of: (ledger: (typeof ledgers)[number]) => number | undefined) => ledgers.reduce((sum, each) => sum + (of(each) ?? 0), 0)
  expect(fleet).toMatchObject({ runs: 3, unbooked: 0, live: 0, by: 'team', known: { cost_usd: 2, energy_j: 2, carbon_g: 2 } })
  expect(fleet.accelerator_s).toBeCloseTo(
    total(({ wall_s, accelerators }) => wall_s * accelerators),
    4,
  )
  for (const field of ['cost_usd', 'energy_j', 'carbon_g'] as const) expect(fleet[field]).toBeCloseTo(total((each) => each[field]))
  for (const cause of TIME_CAUSES) {
    const of = ({ causes }: Pick<typeof fleet, 'causes'>) => causes.find((each) => each.cause === cause)?.accelerator_s
    expect([cause, of(fleet)]).toEqual([cause, expect.closeTo(total(of), 6)])
  }
  const runsOf = ({ groups }: typeof fleet) => Object.fromEntries(groups.map(({ name, runs }) => [name, runs]))
  expect(runsOf(fleet)).toEqual({ x: 1, y: 2 })
  const projects = FLEET_LEDGER.parse(await get('/v1/ledger?by=project'))
  expect(runsOf(projects)).toEqual({ a: 2, b: 1 })
  expect(await get('/v1/ledger?since=172800')).toMatchObject({ runs: 0, from_at: 172_800 })
  expect(await bed.call({ method: 'GET', url: '/v1/ledger?by=moon', as: bed.tokens.viewer })).toMatchObject({ status: 400 })
})

test('a run that cannot be accounted for is reported and does not hold up the others', async () => {
  const id = await finished({ project: 'c', team: 'z', steps: 1 })
  await bed.database.updateTable('steps').set({ rows: '3' }).where('run_id', '=', id).execute()
  await finished({ project: 'c', team: 'z', steps: 1 })
  const closed = await closeBooks({ database: bed.database, now: () => 2e6 })
  expect(closed).toMatchObject({ due: 2, failed: [{ what: `books of run ${id} were not closed` }] })
  expect(await get('/v1/ledger?by=project')).toMatchObject({
    unbooked: 1,
    groups: expect.arrayContaining([expect.objectContaining({ name: 'c', runs: 1 })]),
  })
})

import { LEDGER } from '@ironlaw/contracts/ledger'
import type { Report } from '@ironlaw/contracts/report'
import { applyUnderLease, leaseDue } from '@ironlaw/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, report, runRequest } from '../../test/api-bed.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const plan = sampleTrainingPlan({
  prediction: { step_s: 8, causes_s: { products: 7, tensor: 1 }, mfu: 0.4, duration_s: 100, cost_usd: 800 },
})

const row = (step: number, at: number): Report['steps'][number] => ({
  step,
  at,
  seconds: 10,
  tokens: 1,
  world: 4,
  phases_s: { compute: 8, communication: 2 },
})

const ledgerOf = async (id: string) => {
  const { status, json } = await bed.call({ method: 'GET', url: `/v1/runs/${id}/ledger`, as: bed.tokens.viewer })
  expect(status).toBe(200)
  return LEDGER.parse(json)
}

test('a run that was only now submitted', async () => {
  const { json } = await bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.operator, body: runRequest() })
  const ledger = await ledgerOf(json.id)
  expect(ledger).toMatchObject({ run: json.id, state: 'queued', accelerators: 4, steps: 0, recoveries: [] })
  expect(ledger.causes.filter(({ accelerator_s }) => accelerator_s > 0).map(({ cause }) => cause)).toEqual(['queue'])
  expect(await bed.call({ method: 'GET', url: '/v1/runs/nobody/ledger', as: bed.tokens.viewer })).toMatchObject({ status: 404 })
})

test('two attempts, as agents and reconciler tell of them', async () => {
  // Of the whole run, of which two steps are done.
  const { id, token } = await bed.newRun({ plan, expected_losses_s: { start: 977, 'lost work': 977 * 3 } })
  const { from_at: from } = await ledgerOf(id)
  const tell = (attempt: number, over: Partial<Report>) =>
    bed.call({ method: 'POST', url: `/v1/runs/${id}/attempts/${attempt}/reports`, as: token, body: report(over) })
  const exit = { node: 'n1', index: 0, rank: 1, code: null, signal: 9, at: from + 75, tail: '' }
  const attached = (at: number) => ({ kind: 'attached', at, detail: {} }) as const
  const saved = { state: 'committed', step: 1, attempt: 1, bytes: 1, write_s: 1, pause_s: 1, at: from + 61, manifest: 'm' } as const
  await tell(1, { notes: [attached(from + 31), attached(from + 30)], steps: [row(1, from + 60), row(2, from + 70)], checkpoints: [saved] })
  await tell(1, { index: 1, node: 'n2', steps: [row(2, from + 70)], exits: [exit, { ...exit, at: from + 76, code: 0 }] })
  await move(id, { attempt: 2, endedAt: from + 80, submittedAt: from + 90 })
  await tell(2, { notes: [attached(from + 100)], checkpoints: [{ ...saved, state: 'restored', at: from + 101 }] })
  expect(await ledgerOf(id)).toMatchObject({ steps: 1, recoveries: [{ lost_steps: 1 }] })
  await tell(2, { sequence: 2, steps: [row(2, from + 120)] })
  await move(id, { attempt: 2, endedAt: from + 125 })
  const ledger = await ledgerOf(id)
  const measured = Object.fromEntries(ledger.causes.map(({ cause, accelerator_s }) => [cause, accelerator_s]))
  const expected = {
    start: 0,
    load: 4 * 20 + 4 * 10,
    compute: 4 * 16,
    'exposed communication': 4 * 4,
    'lost work': 4 * 15,
    detection: 4 * 5,
  }
  for (const [cause, accelerator_s] of Object.entries({ ...expected, recovery: 4 * 10 + 4 * 10, 'idle tail': 4 * 5 }))
    expect([cause, measured[cause]]).toEqual([cause, expect.closeTo(accelerator_s, 4)])
  expect(ledger).toMatchObject({ state: 'succeeded', steps: 2, recoveries: [{ attempt: 1, cause: 'rank-died', lost_steps: 1 }] })
  expect(ledger.recoveries[0]?.fault_at).toBeCloseTo(from + 75)
  expect(ledger.causes.find(({ cause }) => cause === 'compute')).toMatchObject({
    predicted_accelerator_s: 4 * 2 * 7,
    cost_usd: expect.closeTo(128, 4),
  })
  const foreseen = Object.fromEntries(ledger.causes.map(({ cause, predicted_accelerator_s }) => [cause, predicted_accelerator_s]))
  expect(foreseen).toMatchObject({ start: 4 * 2, 'lost work': 4 * 6, recovery: undefined })
  expect(ledger.causes.reduce((sum, { accelerator_s }) => sum + accelerator_s, 0)).toBeCloseTo(4 * 125, 4)
})

test('a program that runs with other degrees than planned is named', async () => {
  const divided = sampleTrainingPlan({ globalBatch: 16, decision: { tensor: 2, data: 2, microbatch: 4 } })
  const { id, token } = await bed.newRun({ plan: divided })
  const { from_at: from } = await ledgerOf(id)
  expect(await ledgerOf(id)).not.toHaveProperty('deviations')
  const says = (detail: Record<string, unknown>) => ({ kind: 'strategy', at: from + 1, detail })
  const tell = (sequence: number, notes: Report['notes']) =>
    bed.call({ method: 'POST', url: `/v1/runs/${id}/attempts/1/reports`, as: token, body: report({ sequence, notes }) })
  await tell(1, [says({ rank: 0, tensor: 2, data: 2, microbatch: 4 }), says({ rank: 3, precision: 'bf16', globalBatch: 16 })])
  expect(await ledgerOf(id)).toMatchObject({ running: { tensor: 2, precision: 'bf16' }, deviations: [] })
  await tell(2, [says({ rank: 0, tensor: 1, data: 4 }), says({ tensor: 'two' }), says({ tensor: -1 })])
  expect(await ledgerOf(id)).toMatchObject({
    deviations: [
      { field: 'tensor', planned: '2', running: '1' },
      { field: 'data', planned: '2', running: '4' },
    ],
  })
})

/** As the reconciler does: the current attempt ends, and the next one begins or the run is done. */
async function move(id: string, to: { readonly attempt: number; readonly endedAt: number; readonly submittedAt?: number }): Promise<void> {
  const { json } = await bed.call({ method: 'GET', url: `/v1/runs/${id}/attempts`, as: bed.tokens.viewer })
  const current: { number: number; submitted_at: number } = json.items.at(-1)
  const lease = (await leaseDue(bed.database, { holder: 'test', at: to.endedAt, lease_s: 0.001, limit: 1000 })).find(
    ({ run }) => run.id === id,
  )
  if (!lease) throw new Error(`${id} is not due`)
  const done = to.submittedAt === undefined
  const outcome = { cause: done ? 'completed' : 'rank-died', detail: '' } as const
  const ended = {
    number: current.number,
    state: 'ended',
    nodes: 2,
    excluded: [],
    submittedAt: current.submitted_at,
    endedAt: to.endedAt,
    outcome,
  } as const
  const next = done ? [] : [{ number: to.attempt, state: 'submitted', nodes: 2, excluded: [], submittedAt: to.submittedAt ?? 0 } as const]
  const state = done ? ('succeeded' as const) : ('starting' as const)
  await applyUnderLease(
    bed.database,
    { run_id: id, token: lease.token },
    {
      at: to.endedAt,
      state,
      attempt: to.attempt,
      attempts: [ended, ...next],
      events: [{ kind: `run-${state}`, actor: 'test', at: to.endedAt, body: {} }],
      next_look_at: to.endedAt,
    },
  )
}

test('steps are read in pages, batches of one and of thousands, and a step reported twice counts once', async () => {
  const { id } = await bed.newRun({ plan })
  const { from_at: from } = await ledgerOf(id)
  const lengths = [
    ...Array.from({ length: 40 }, () => 1),
    ...Array.from({ length: 12 }, () => 5000),
    ...Array.from({ length: 40 }, () => 1),
  ]
  let first = 1
  for (const [sequence, length] of lengths.entries()) {
    const rows = Array.from({ length: length + 1 }, (_, index) => ({ ...row(first + index, from + first + index), seconds: 1 }))
    const [first_step, last_step] = [first, first + length]
    // The next batch repeats the last step of each batch.
    await bed.database
      .insertInto('steps')
      .values({ run_id: id, attempt: 1, node_index: 0, sequence, first_step, last_step, rows: JSON.stringify(rows) })
      .execute()
    first += length
  }
  expect(await ledgerOf(id)).toMatchObject({ steps: first })
})

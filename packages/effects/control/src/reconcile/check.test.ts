import { attemptsOf, eventsOf, nodeStream } from '@ironlaw/store'
import { expect, test } from 'vitest'
import { type RunBed, runBed } from '../../test/run-bed.ts'
import { nodeViews } from '../fleet/nodes.ts'
import { runLedger } from '../ledger/run-ledger.ts'

const BED_TIMEOUT_MS = 60_000
const SHAPE = { check: { share: 0.8 }, spares: 1 }

/** As the ranks of a check report it: two processes on each of three nodes, one of them slow where `slow` says so. */
const readings = (slow: { readonly rank?: number } = {}) =>
  [0, 1, 2].map((rank) => ({
    kind: 'reading',
    at: 1,
    detail: { rank, product_flops: rank === slow.rank ? 3e12 : 10e12, memory_bytes_per_s: 1e12, link_bytes_per_s: 25e9 },
  }))

const endCauses = async (bed: RunBed) => (await bed.attempts('r')).map(({ cause }) => cause)

test('a slow node is replaced before the program starts, and its reading stays with the node', { timeout: BED_TIMEOUT_MS }, async () => {
  const bed = await runBed()
  await bed.newRun('r', SHAPE)
  await bed.pass(2)
  expect((await attemptsOf(bed.database, ['r'])).get('r')).toMatchObject([{ check: true, placed: ['n1', 'n2', 'n3'] }])
  await bed.tell('r', { notes: readings({ rank: 1 }) })
  await bed.pass(3)
  expect(await endCauses(bed)).toEqual(['slow-node', undefined])
  expect((await attemptsOf(bed.database, ['r'])).get('r')?.at(-1)).toMatchObject({ check: true, placed: ['n1', 'n4', 'n3'] })
  await bed.tell('r', { notes: readings() })
  await bed.pass(1)
  expect(await endCauses(bed)).toEqual(['slow-node', 'checked', undefined])
  expect((await attemptsOf(bed.database, ['r'])).get('r')?.at(-1)).toMatchObject({ number: 3, nodes: 2, placed: ['n1', 'n4'] })
  const views = await nodeViews(bed.database, { cluster: 'simulated', executor: bed.fleet.executor })
  expect(views.find(({ name }) => name === 'n2')?.readings).toMatchObject([{ kind: '', product_flops: 3e12 }])
  expect(
    (await eventsOf(bed.database, nodeStream({ cluster: 'simulated', name: 'n2' }), { after: 0, limit: 10 })).map(({ kind }) => kind),
  ).toEqual(expect.arrayContaining(['node-checked', 'node-suspected']))
  const { causes } = await runLedger(bed.database, await bed.run('r'), bed.ports.now())
  expect(causes.find(({ cause }) => cause === 'check')?.accelerator_s).toBeGreaterThan(0)
  expect(causes.find(({ cause }) => cause === 'recovery')?.accelerator_s ?? 0).toBe(0)
})

test('what a program that is no check sends as readings is not believed', { timeout: BED_TIMEOUT_MS }, async () => {
  const bed = await runBed()
  await bed.newRun('r')
  await bed.pass(2)
  await bed.tell('r', {
    notes: [
      ...readings({ rank: 1 }),
      { kind: 'reading', at: 1, detail: { rank: -1, product_flops: 'all' } },
      { kind: 'reading', at: 1, detail: { rank: 0, product_flops: 1e308, memory_bytes_per_s: 1 } },
    ],
  })
  await bed.pass(2)
  expect(await endCauses(bed)).toEqual([undefined])
  const views = await nodeViews(bed.database, { cluster: 'simulated', executor: bed.fleet.executor })
  expect(views.every((view) => view.readings === undefined)).toBe(true)
})

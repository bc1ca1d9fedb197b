import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { runBed } from '../../test/run-bed.ts'
import { reconcileRuns } from './reconcile-runs.ts'

test.each(['attempts', 'allocations'])('a run whose %s cannot be read is named and stops no other', { timeout: 60_000 }, async (table) => {
  const bed = await runBed()
  for (const id of ['r', 's']) await bed.newRun(id)
  await bed.pass(3, ['r', 's'])
  await sql`update ${sql.table(table)} set body = body || '{"excluded": "n1"}' where run_id = 'r'`.execute(bed.database)
  await bed.tell('s', { notes: [{ kind: 'completed', at: 1, detail: { step: 9 } }] })
  await bed.pass(3)
  const { failed } = await reconcileRuns({ ...bed.ports, now: () => bed.ports.now() + 1.1 })
  expect(failed).toEqual([{ what: 'run r', reason: expect.stringContaining(`${table}.body of r, number 1 cannot be read: excluded: `) }])
  expect(await bed.state('s')).toBe('succeeded')
})

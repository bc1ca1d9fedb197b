import type { Report } from '@ironlaw/contracts/report'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { queuedRun, report } from '../test/samples.ts'
import type { Database } from './database.ts'
import { eventsOf, runStream } from './events.ts'
import { recordReport } from './reports.ts'
import { environmentsOf, environmentsOfRun, packageList } from './run-environments.ts'

const PACKAGES = { torch: '2.1.0', numpy: '1.26' }
const note = (detail: object): Report['notes'][number] => ({ kind: 'environment', at: 1, detail: { index: 0, node: 'n1', ...detail } })

async function runAtAttempt(database: Database, attempt: number): Promise<string> {
  const run_id = await queuedRun(database)
  await database.updateTable('runs').set({ attempt }).where('id', '=', run_id).execute()
  return run_id
}

onEachDatabase((opened) => {
  const record = (run_id: string, sequence: number, ...notes: Report['notes']) =>
    recordReport(opened().database, { run_id, attempt: 1, received_at: 1000 + sequence, report: report(sequence, { notes }) })

  test('the first node of an attempt counts, its packages are kept once and not in the event', async () => {
    const { database } = opened()
    const run_id = await runAtAttempt(database, 1)
    await record(run_id, 1, note({ python: 'CPython 3.11', kernel: 'Linux 6', packages: PACKAGES, planted: 'x' }))
    const [row] = await environmentsOfRun(database, run_id, 10)
    expect(row).toMatchObject({ attempt: 1, node: 'n1', body: { python: 'CPython 3.11', kernel: 'Linux 6' } })
    const digest = row?.packages ?? ''
    expect(await packageList(database, digest)).toEqual(PACKAGES)
    await record(run_id, 2, note({ index: 1, node: 'n2', python: 'CPython 3.12', packages_digest: digest }))
    expect((await environmentsOf(database, [run_id, 'absent'])).get(run_id)).toMatchObject({ node: 'n1' })
    expect((await environmentsOfRun(database, run_id, 10)).map((each) => each.node)).toEqual(['n1', 'n2'])
    const events = await eventsOf(database, runStream(run_id), { after: 0, limit: 100 })
    expect(events.at(-1)).toMatchObject({ kind: 'agent-environment', body: { detail: { index: 1, packages_digest: digest } } })
    expect(JSON.stringify(events)).not.toContain('numpy')
  })

  test('a digest that does not fit its list is computed again', async () => {
    const { database } = opened()
    const run_id = await runAtAttempt(database, 1)
    await record(run_id, 1, note({ packages: { torch: '9' }, packages_digest: 'f'.repeat(64) }))
    const [row] = await environmentsOfRun(database, run_id, 10)
    expect(row?.packages).not.toBe('f'.repeat(64))
    expect(await packageList(database, 'f'.repeat(64))).toBeUndefined()
  })

  test('what is malformed is an event and nothing else, and one node is heard only a few times', async () => {
    const { database } = opened()
    const run_id = await runAtAttempt(database, 1)
    for (const [at, wrong] of [{ image: 'latest' }, { index: -1 }, { index: 20_000 }, { packages: { 'A B': '1' } }].entries())
      await record(run_id, 1 + at, note(wrong))
    expect(await environmentsOfRun(database, run_id, 10)).toEqual([])
    for (let each = 0; each < 20; each += 1) await record(run_id, 10 + each, note({ packages: { spam: `${run_id} ${each}` } }))
    const lists = await database.selectFrom('package_lists').select('packages').execute()
    expect(lists.filter(({ packages }) => packages['spam']?.startsWith(run_id))).toHaveLength(8)
  })
})

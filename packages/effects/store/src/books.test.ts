import type { BookedCause, RunBook } from '@ironlaw/contracts/ledger-fleet'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, queuedRun } from '../test/samples.ts'
import { BOOKS_OPEN_S, bookRun, booksSince, dueForBooking, postponeBooking, unbookedRuns } from './books.ts'
import type { Database } from './database.ts'
import { applyUnderLease, leaseDue } from './leases.ts'

const DAY = 86_400

const cause = (name: BookedCause['cause'], accelerator_s: number): BookedCause => ({
  cause: name,
  accelerator_s,
  predicted_accelerator_s: 1,
  gap_accelerator_s: accelerator_s - 1,
  cost_usd: 2,
  energy_j: 3,
  carbon_g: 4,
})

const book = (computing_s: number): RunBook => ({
  counts: { runs: 1, planned: 1, priced: 1, powered: 0, located: 0, peak_accelerator_s: 5, rated_accelerator_s: 10 },
  causes: [cause('queue', 1), cause('compute', computing_s)],
})

async function createEndedRun(database: Database, at: number, project = 'p'): Promise<string> {
  const id = await queuedRun(database, { at, project })
  const lease = (await leaseDue(database, { holder: 'a', at, lease_s: 1e-3, limit: 1000 })).find(({ run }) => run.id === id)
  if (!lease) throw new Error(`${id} is not due`)
  await applyUnderLease(database, { run_id: id, token: lease.token }, { at, state: 'succeeded', events: [event('run-succeeded', at)] })
  return id
}

onEachDatabase(
  (opened) => {
    test('a run is due when its books are closed, and is booked once', async () => {
      const { database } = opened()
      const at = 10 * DAY
      const id = await createEndedRun(database, at)
      const due = async (when: number) => (await dueForBooking(database, { at: when, limit: 10 })).map((run) => run.id)
      expect(await due(at + BOOKS_OPEN_S - 1)).not.toContain(id)
      expect(await due(at + BOOKS_OPEN_S)).toContain(id)
      await postponeBooking(database, { run_id: id, due_at: at + DAY })
      expect(await due(at + BOOKS_OPEN_S)).not.toContain(id)
      const open = await unbookedRuns(database)
      const run = { id, team: 'default', project: 'p', ended_at: at }
      expect(await bookRun(database, run, book(7))).toBe('booked')
      expect(await bookRun(database, run, book(7))).toBe('repeated')
      expect(await unbookedRuns(database)).toBe(open - 1)
      const whole = (await booksSince(database, { from_at: at, by: 'cause' })).get('')
      expect(whole?.counts).toMatchObject(book(7).counts)
      expect(whole?.causes.toSorted((a, b) => a.accelerator_s - b.accelerator_s)).toMatchObject(book(7).causes)
    })

    test('days and projects add up', async () => {
      const { database } = opened()
      for (const [day, project, computing_s] of [
        [20, 'a', 10],
        [20, 'a', 20],
        [21, 'a', 40],
        [21, 'b', 80],
      ] as const) {
        const ended_at = day * DAY + 5
        await bookRun(database, { id: await createEndedRun(database, ended_at, project), team: 't', project, ended_at }, book(computing_s))
      }
      const computing = async (from_at: number, by: 'project' | 'team') =>
        Object.fromEntries(
          [...(await booksSince(database, { from_at, by }))].map(([name, { counts, causes }]) => [
            name,
            [counts.runs, causes.find((each) => each.cause === 'compute')?.accelerator_s],
          ]),
        )
      expect(await computing(20 * DAY + 1, 'project')).toMatchObject({ a: [3, 70], b: [1, 80] })
      expect(await computing(21 * DAY, 'project')).toMatchObject({ a: [1, 40], b: [1, 80] })
      expect(await computing(20 * DAY, 'team')).toMatchObject({ t: [4, 150] })
    })
  },
  (opened) =>
    test('two who book the same run, and many of one day, at once', async () => {
      const { database } = opened()
      const ended_at = 40 * DAY
      const ids: string[] = []
      for (let each = 0; each < 10; each += 1) ids.push(await createEndedRun(database, ended_at, 'busy'))
      const answers = await Promise.all(
        [...ids, ...ids].map((id) => bookRun(database, { id, team: 't', project: 'busy', ended_at }, book(3))),
      )
      expect(answers.filter((answer) => answer === 'booked')).toHaveLength(10)
      expect((await booksSince(database, { from_at: ended_at, by: 'project' })).get('busy')?.counts.runs).toBe(10)
    }),
)

import type { Attempt } from '@ironlaw/contracts'
import { beforeEach, expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, queuedRun } from '../test/samples.ts'
import { attemptsOf } from './attempts.ts'
import type { Database } from './database.ts'
import { eventsOf, runStream, verifyChain } from './events.ts'
import { applyUnderLease, giveBack, leaseDue, type RunChange, wake } from './leases.ts'
import { runOf } from './runs.ts'

const attempt = (fields: Partial<Attempt> = {}): Attempt => ({
  number: 1,
  state: 'submitted',
  nodes: 2,
  excluded: [],
  submittedAt: 1001,
  ...fields,
})

const change = (fields: Partial<RunChange> = {}): RunChange => ({ at: 1001, events: [event('run-changed', 1001)], ...fields })

const leaseRuns = async (
  database: Database,
  { holder = 'a', at = 1000, limit = 100 } = {},
): Promise<readonly { run_id: string; token: number }[]> =>
  (await leaseDue(database, { holder, at, lease_s: 10, limit })).map(({ run, token }) => ({ run_id: run.id, token }))

const kindsOf = async (database: Database, run_id: string): Promise<readonly string[]> =>
  (await eventsOf(database, runStream(run_id), { after: 0, limit: 100 })).map(({ kind }) => kind)

onEachDatabase(
  (opened) => {
    beforeEach(async () => {
      await opened().database.deleteFrom('leases').execute()
    })

    test('a run is leased to one at a time, and again when the lease has expired, with a higher token', async () => {
      const { database } = opened()
      const run_id = await queuedRun(database)
      expect(await leaseRuns(database, { at: 999 })).toEqual([])
      expect(await leaseRuns(database, { at: 1000 })).toEqual([{ run_id, token: 1 }])
      expect(await leaseRuns(database, { holder: 'b', at: 1009 })).toEqual([])
      expect(await leaseRuns(database, { holder: 'b', at: 1010 })).toEqual([{ run_id, token: 2 }])
    })

    test.each([3600, 10 * 365 * 86_400])(
      'a lease and a look by a clock that was %i s ahead are due to a right one at once',
      async (ahead) => {
        const { database } = opened()
        const run_id = await queuedRun(database)
        expect(await leaseRuns(database, { at: 1000 + ahead })).toEqual([{ run_id, token: 1 }])
        expect(await leaseRuns(database, { holder: 'b', at: 1000 })).toEqual([{ run_id, token: 2 }])
        await giveBack(database, [{ run_id, token: 2, next_look_at: 1000 + ahead }])
        expect(await leaseRuns(database, { holder: 'b', at: 1001 })).toEqual([{ run_id, token: 3 }])
      },
    )

    test('the longest due come first, as many as asked', async () => {
      const { database } = opened()
      const late = await queuedRun(database, { at: 990 })
      const later = await queuedRun(database, { at: 980 })
      await queuedRun(database, { at: 995 })
      expect((await leaseRuns(database, { limit: 2 })).map(({ run_id }) => run_id).toSorted()).toEqual([late, later].toSorted())
    })

    test('a change under the token writes run, attempt and event; kept, then given back until the next look', async () => {
      const { database } = opened()
      const run_id = await queuedRun(database)
      const held = { run_id, token: 1 }
      await leaseRuns(database)
      expect(
        await applyUnderLease(database, held, change({ state: 'starting', attempt: 1, wait_reason: 'no room', attempts: [attempt()] })),
      ).toBe('applied')
      expect(await leaseRuns(database, { at: 1005 })).toEqual([])
      const submitted = attempt({ state: 'submitted', placed: ['n1'] })
      expect(
        await applyUnderLease(
          database,
          held,
          change({ at: 1002, state: 'starting', wait_reason: null, attempts: [submitted], next_look_at: 1003 }),
        ),
      ).toBe('applied')
      expect(await runOf(database, run_id)).toMatchObject({
        state: 'starting',
        state_since_at: 1001,
        attempt: 1,
        wait_reason: null,
        version: 3,
      })
      expect((await attemptsOf(database, [run_id])).get(run_id)).toEqual([submitted])
      expect(await kindsOf(database, run_id)).toEqual(['run-created', 'run-changed', 'run-changed'])
      expect(await leaseRuns(database, { at: 1003 })).toEqual([{ run_id, token: 2 }])
    })

    test('a lessee that slept writes nothing at all', async () => {
      const { database } = opened()
      const run_id = await queuedRun(database)
      await leaseRuns(database)
      await leaseRuns(database, { holder: 'b', at: 1010 })
      const before = await runOf(database, run_id)
      expect(
        await applyUnderLease(database, { run_id, token: 1 }, change({ state: 'failed', attempts: [attempt()], next_look_at: 0 })),
      ).toBe('stale')
      await giveBack(database, [{ run_id, token: 1, next_look_at: 0 }])
      expect(await runOf(database, run_id)).toEqual(before)
      expect((await attemptsOf(database, [run_id])).get(run_id)).toEqual([])
      expect(await kindsOf(database, run_id)).toEqual(['run-created'])
      expect(await leaseRuns(database, { at: 1019 })).toEqual([])
    })

    test('a change that the database refuses leaves neither event nor attempt', async () => {
      const { database } = opened()
      const run_id = await queuedRun(database)
      await leaseRuns(database)
      await applyUnderLease(database, { run_id, token: 1 }, change({ attempt: 2 }))
      await expect(applyUnderLease(database, { run_id, token: 1 }, change({ attempt: 1, attempts: [attempt()] }))).rejects.toThrow(
        'does not go back',
      )
      expect(await kindsOf(database, run_id)).toEqual(['run-created', 'run-changed'])
      expect((await attemptsOf(database, [run_id])).get(run_id)).toEqual([])
    })

    test('a run that ended is never due again, and late writes of its lessee are stale', async () => {
      const { database } = opened()
      const run_id = await queuedRun(database)
      await leaseRuns(database)
      const verdict = { cause: 'completed', detail: 'reached step 9', step: 9 } as const
      expect(await applyUnderLease(database, { run_id, token: 1 }, change({ state: 'succeeded', verdict }))).toBe('applied')
      expect(await runOf(database, run_id)).toMatchObject({ state: 'succeeded', ended_at: 1001, verdict })
      expect(await applyUnderLease(database, { run_id, token: 1 }, change({ state: 'failed' }))).toBe('stale')
      await wake(database, { run_id, at: 5 })
      expect(await leaseRuns(database, { at: 1e9 })).toEqual([])
    })

    test('an attempt that ended does not change; writing it again as it is does no harm', async () => {
      const { database } = opened()
      const run_id = await queuedRun(database)
      await leaseRuns(database)
      const ended = attempt({ state: 'ended', endedAt: 1005, outcome: { cause: 'hang', detail: 'no step' } })
      await applyUnderLease(database, { run_id, token: 1 }, change({ attempts: [ended] }))
      expect(await applyUnderLease(database, { run_id, token: 1 }, change({ attempts: [ended] }))).toBe('applied')
      const revived = applyUnderLease(database, { run_id, token: 1 }, change({ attempts: [attempt({ state: 'running' })] }))
      await expect(revived).rejects.toThrow(`attempt 1 of run ${run_id} has ended and does not change`)
    })

    test('a look asked for while the run is leased comes right after, not at the time the lessee chose', async () => {
      const { database } = opened()
      const [woken, quiet] = [await queuedRun(database), await queuedRun(database)]
      const held = await leaseRuns(database)
      await wake(database, { run_id: woken, at: 1002 })
      expect(await leaseRuns(database, { holder: 'b', at: 1003 })).toEqual([])
      await giveBack(
        database,
        held.map((lease) => ({ ...lease, next_look_at: 1060 })),
      )
      expect(await leaseRuns(database, { holder: 'b', at: 1003 })).toEqual([{ run_id: woken, token: 2 }])
      expect(await leaseRuns(database, { holder: 'b', at: 1060 })).toContainEqual({ run_id: quiet, token: 2 })
    })
  },
  (opened) => {
    test('8 lessees at once never hold one run together, and every write carries through or is stale', async () => {
      const { database } = opened()
      const ids: string[] = []
      for (let each = 0; each < 40; each += 1) ids.push(await queuedRun(database))
      const holders = new Map<string, string>()
      let overlaps = 0
      let applied = 0
      const lessee = async (holder: string): Promise<void> => {
        for (let round = 0; round < 12; round += 1) {
          for (const lease of await leaseRuns(database, { holder, at: 2000, limit: 7 })) {
            if (holders.has(lease.run_id)) overlaps += 1
            holders.set(lease.run_id, holder)
            await new Promise((resolve) => setTimeout(resolve, 1))
            holders.delete(lease.run_id)
            if ((await applyUnderLease(database, lease, change({ next_look_at: 2000 }))) === 'applied') applied += 1
          }
        }
      }
      await Promise.all(Array.from({ length: 8 }, (_, index) => lessee(`h${index}`)))
      expect(overlaps).toBe(0)
      expect(applied).toBeGreaterThan(ids.length)
      const chains = await Promise.all(ids.map((id) => verifyChain(database, runStream(id))))
      const events = chains.map((chain) => (chain.intact ? chain.events : 0))
      expect(events.reduce((sum, count) => sum + count, 0)).toBe(applied + ids.length)
    })

    test('of a stale and a current lessee that write at the same moment, only the current one does', async () => {
      const { database } = opened()
      for (let round = 0; round < 30; round += 1) {
        const run_id = await queuedRun(database, { at: 3000 })
        const [old] = await leaseRuns(database, { at: 3000 })
        if (!old) throw new Error('not leased')
        const taking = leaseRuns(database, { holder: 'b', at: 3010 })
        const stale = applyUnderLease(database, old, change({ wait_reason: 'old', next_look_at: 3001 }))
        const [[taken], answer] = await Promise.all([taking, stale])
        const kinds = await kindsOf(database, run_id)
        expect(kinds.length).toBe(answer === 'applied' ? 2 : 1)
        if (taken) expect(await applyUnderLease(database, taken, change({ state: 'cancelled' }))).toBe('applied')
        await database.deleteFrom('leases').execute()
      }
    })
  },
)

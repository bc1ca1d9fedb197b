// Profiles on a server: control planes that merge at once while reports arrive, one that loses its connections, and one that fails at every statement.

import type { Profile, ProfileWindow } from '@ironlaw/contracts/profile'
import { discloseProfile, mergeProfiles } from '@ironlaw/policies/profile'
import { type Database, openPostgres } from '@ironlaw/store'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { onEachDatabase, onServer } from '../../test/each-database.ts'
import { CountingGateway, FIRST_HOUR, HOUR_S, type ProfileBed, profileBed } from '../../test/profile-bed.ts'
import { randomFrom } from '../../test/random-from.ts'
import { compactProfiles } from './compact-profiles.ts'
import { deploymentProfile } from './profile-view.ts'

const SEED = Number(process.env['FC_SEED'] ?? new Date().toISOString().slice(0, 10).replaceAll('-', ''))
const TIMEOUT_MS = 120_000
const GATEWAYS = 4

const windowAt = (hour: number, profile: Profile): ProfileWindow => ({ pool: 'chat@1', class: 'other', hour, profile })

const asShown = (profiles: readonly Profile[]): Profile | undefined => discloseProfile(mergeProfiles(profiles))

const shownOf = async (bed: ProfileBed, from: number, to: number): Promise<Profile | undefined> =>
  (await bed.profile(`?from_at=${from * HOUR_S}&to_at=${to * HOUR_S}`)).profile

/** Fails from one of its statements on, as a process that is killed before it: what it began is undone by the database. */
class FailAt implements KyselyPlugin {
  statements = 0
  readonly #at: number

  constructor(at: number) {
    this.#at = at
  }

  transformQuery({ node }: Parameters<KyselyPlugin['transformQuery']>[0]) {
    this.statements += 1
    if (this.statements >= this.#at) throw new Error('killed')
    return node
  }

  async transformResult({ result }: Parameters<KyselyPlugin['transformResult']>[0]) {
    return result
  }
}

onEachDatabase((opened) => {
  let bed: ProfileBed
  beforeAll(async () => {
    bed = await profileBed(opened().database)
  }, BED_TIMEOUT_MS)
  afterAll(() => bed.api.close())

  test('stopped before any of its statements, a merge is undone or done, and the next one goes on', { timeout: TIMEOUT_MS }, async () => {
    const random = randomFrom(SEED)
    const sent: Profile[] = []
    bed.clock.hour = FIRST_HOUR + 40
    for (const hour of [0, 1, 23, 24, 30])
      for (const gateway of ['g1', 'g2']) {
        const profile = new CountingGateway(random).count(15)
        sent.push(profile)
        expect(await bed.report({ gateway, boot: 'b' }, [windowAt(FIRST_HOUR + hour, profile)])).toBe(204)
      }
    const want = asShown(sent)
    const now = () => (FIRST_HOUR + 24 + 49) * HOUR_S
    const readProfile = () => shownOf(bed, FIRST_HOUR, FIRST_HOUR + 48)
    let at = 0
    for (let hasEnded = false; !hasEnded;) {
      const plugin = new FailAt((at += 1))
      const { failed } = await compactProfiles({ database: bed.database.withPlugin(plugin), now }).catch(() => ({ failed: ['round'] }))
      expect(await readProfile(), `statement ${at}`).toEqual(want)
      hasEnded = failed.length === 0 && plugin.statements < at
    }
    // The mark, what is too old, what is due, and three statements of an hour and of a day: each was the first that failed.
    expect(at).toBeGreaterThan(10)
    const count = async (table: 'profile_windows' | 'profile_days') =>
      (await bed.database.selectFrom(table).select('revision').execute()).length
    expect([await count('profile_windows'), await count('profile_days')]).toEqual([2, 4])
  })
})

onServer((opened) => {
  let bed: ProfileBed
  const others: Database[] = []
  beforeAll(async () => {
    bed = await profileBed(opened().database)
  }, BED_TIMEOUT_MS)
  afterAll(async () => {
    await bed.api.close()
    await Promise.all(others.map((each) => each.destroy()))
  })

  const another = (name: string): Database => {
    const { url = '' } = opened()
    const database = openPostgres(`${url}${url.includes('?') ? '&' : '?'}application_name=${name}`, { max: 2 })
    others.push(database)
    return database
  }

  test(
    `two merge while reports arrive, and one loses its connections again and again (seed ${SEED})`,
    { timeout: TIMEOUT_MS },
    async () => {
      const random = randomFrom(SEED)
      const first = FIRST_HOUR
      const kept = new Map<string, Profile>()
      const state = { reporting: true, kills: 0, misses: 0 }
      const databases = [another('survivor'), another('victim')]
      // Their clocks are ahead: they close hours that are still reported.
      const compactor = async (database: Database, ahead: number): Promise<void> => {
        while (state.reporting)
          await compactProfiles({ database, now: () => (bed.clock.hour + ahead) * HOUR_S }).catch(() => (state.misses += 1))
      }
      const killer = async (): Promise<void> => {
        while (state.reporting) {
          const { rows } = await sql<{ killed: boolean }>`
          select pg_terminate_backend(pid) as killed from pg_stat_activity where application_name = 'victim' and state <> 'idle'`.execute(
            bed.database,
          )
          state.kills += rows.length
        }
      }
      const reader = async (): Promise<void> => {
        const row = await bed.database.selectFrom('deployments').select(['id', 'name']).executeTakeFirstOrThrow()
        const query = { from_at: first * HOUR_S, to_at: (first + 200) * HOUR_S }
        let before = 0
        while (state.reporting) {
          const { profile } = await deploymentProfile(bed.database, row, { query, now: 0 })
          // A row that is missing or doubled while it is merged would be seen as a total that falls.
          expect(profile?.rows ?? 0, `seed ${SEED}`).toBeGreaterThanOrEqual(before)
          before = profile?.rows ?? 0
        }
      }
      const reports = async (): Promise<void> => {
        for (let hour = first; hour < first + 120; hour += 2) {
          bed.clock.hour = hour
          await Promise.all(
            Array.from({ length: GATEWAYS }, async (_, index) => {
              const counting = new CountingGateway(random)
              const windows = [0, 1].map(() => windowAt(hour, counting.count(8)))
              for (const window of windows) expect(await bed.report({ gateway: `g${index}`, boot: 'b' }, [window])).toBe(204)
              kept.set(`${hour} ${index}`, windows[1]?.profile ?? expect.unreachable())
              // Answers that were lost: the totals come again while their hours are closed and merged.
              for (const back of [2, 26, 28, 46, 48]) {
                const again = kept.get(`${hour - back} ${index}`)
                if (again) expect(await bed.report({ gateway: `g${index}`, boot: 'b' }, [windowAt(hour - back, again)])).toBe(204)
              }
            }),
          )
        }
      }
      const done = reports().finally(() => (state.reporting = false))
      await Promise.all([done, compactor(databases[0] ?? bed.database, 1), compactor(databases[1] ?? bed.database, 20), killer(), reader()])
      const want = asShown([...kept.values()])
      expect(await shownOf(bed, first, first + 200), `seed ${SEED}`).toEqual(want)
      for (let due = 1; due > 0;) ({ due } = await compactProfiles({ database: bed.database, now: () => (first + 300) * HOUR_S }))
      expect(await shownOf(bed, first, first + 200), `seed ${SEED}`).toEqual(want)
      expect(await bed.database.selectFrom('profile_windows').select('hour').execute()).toEqual([])
      console.log(`merges killed: ${state.kills}, rounds that failed: ${state.misses}`)
    },
  )
})

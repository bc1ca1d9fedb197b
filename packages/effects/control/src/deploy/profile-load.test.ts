// The profile of thirty days of a busy deployment, on a real server: four gateways, three classes, a new revision every five days. Timings are printed, and
// judged by their middle: the machine is shared.

import { packProfile } from '@ironlaw/policies/profile'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onServer } from '../../test/each-database.ts'
import { CountingGateway, FIRST_HOUR, HOUR_S, profileBed } from '../../test/profile-bed.ts'
import { randomFrom } from '../../test/random-from.ts'
import { compactProfiles } from './compact-profiles.ts'

const DAYS = 30
const GOAL_MS = 200
const LOOKS = 40
const WARM_UP = 3
const ANSWERS_AN_HOUR = 400
/** Profiles that are drawn; each window has one of them. */
const TEMPLATES = 50

onServer((opened) => {
  test('thirty days of four gateways and three classes', { timeout: 300_000 }, async () => {
    const bed = await profileBed(opened().database)
    const { database, clock } = bed
    const random = randomFrom(7)
    const bodies = Array.from({ length: TEMPLATES }, () => JSON.stringify(packProfile(new CountingGateway(random).count(ANSWERS_AN_HOUR))))
    const { id } = await database.selectFrom('deployments').select('id').executeTakeFirstOrThrow()
    await sql`
      insert into profile_windows
      select ${id}, ${FIRST_HOUR}::int + hour, 1 + hour / 120 % 2, class, 'chat@' || 1 + hour / 120 % 2, 'g' || gateway, 'b', ${ANSWERS_AN_HOUR}::int,
        ${3.2 * ANSWERS_AN_HOUR}::int, (${bodies}::text[])[1 + (hour * 7 + gateway * 3) % ${TEMPLATES}::int]
      from generate_series(0, ${24 * DAYS - 1}::int) as hour, generate_series(1, 4) as gateway, unnest(array['free', 'paid', 'other']) as class`.execute(
      database,
    )
    await sql`analyze`.execute(database)
    clock.hour = FIRST_HOUR + 24 * DAYS - 1
    const now = () => clock.hour * HOUR_S
    const began = performance.now()
    let merged = 0
    for (let due = 1; due > 0; merged += due) ({ due } = await compactProfiles({ database, now }))
    console.log(`${merged} merges of hours and days: ${Math.round(performance.now() - began)} ms; a window of ${bodies[0]?.length} bytes`)
    await sql`vacuum analyze`.execute(database)
    const month = `?from_at=${FIRST_HOUR * HOUR_S}&to_at=${(FIRST_HOUR + 24 * DAYS) * HOUR_S}`
    for (const [name, query] of [
      ['30 days', month],
      ['30 days of one class', `${month}&class=paid`],
      ['30 days of one revision', `${month}&revision=1`],
      ['30 days from the middle of a day', month.replace(/\d+/, (from) => String(Number(from) + 13 * HOUR_S))],
      ['24 hours', ''],
    ] as const) {
      const times: number[] = []
      for (let each = 0; each < LOOKS; each += 1) {
        const started = performance.now()
        const answer = await bed.profile(query)
        if (each >= WARM_UP) times.push(performance.now() - started)
        expect(answer.hours.length).toBeGreaterThan(20)
        if (query === month) expect(answer.profile?.rows).toBe(24 * DAYS * 12 * ANSWERS_AN_HOUR)
      }
      times.sort((a, b) => a - b)
      const quantile = (share: number): number => times[Math.ceil(share * times.length) - 1] ?? 0
      console.log(`${name}: p50 ${quantile(0.5).toFixed(0)} ms, p95 ${quantile(0.95).toFixed(0)} ms, worst ${quantile(1).toFixed(0)} ms`)
      expect(quantile(0.5)).toBeLessThan(GOAL_MS)
    }
    const tables = ['profile_windows', 'profile_hours', 'profile_days']
    const { rows } = await sql<{ name: string; bytes: number }>`
      select name, pg_total_relation_size(name::regclass) as bytes from unnest(${tables}::text[]) as name`.execute(database)
    console.log(`on disk: ${rows.map(({ name, bytes }) => `${name} ${(bytes / 1e6).toFixed(1)} MB`).join(', ')}`)
    await bed.api.close()
  })
})

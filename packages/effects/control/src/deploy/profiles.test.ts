// Profiles through the API, on a database inside this process and on a server: whatever is lost, late, doubled or out of order, and whatever is merged in
// between, the answer is the exact sum.

import type { Profile, ProfileWindow } from '@ironlaw/contracts/profile'
import { discloseProfile, mergeProfiles, summaryOf } from '@ironlaw/policies/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { onEachDatabase } from '../../test/each-database.ts'
import { CountingGateway, FIRST_HOUR, HOUR_S, type ProfileBed, profileBed } from '../../test/profile-bed.ts'
import { randomFrom } from '../../test/random-from.ts'
import { issueToken } from '../access/tokens.ts'
import { compactProfiles } from './compact-profiles.ts'

const SEED = Number(process.env['FC_SEED'] ?? new Date().toISOString().slice(0, 10).replaceAll('-', ''))
const TIMEOUT_MS = 120_000

const numbers = (bins: Readonly<Record<string, number>>) => ({ kind: 'numbers', bins }) as const

const windowOf = (profile: Profile, over: Partial<ProfileWindow> = {}): ProfileWindow => ({
  pool: 'chat@1',
  class: 'other',
  hour: FIRST_HOUR,
  profile,
  ...over,
})

const profileOf = (rows: number): Profile => ({ rows, features: { 'prompt-tokens': numbers({ '3000': rows }) } })

type Sent = { readonly gateway: string; readonly boot: string; readonly window: ProfileWindow }

const POOLS = ['chat@1', 'chat@1-control', 'chat@2']
const CLASSES = ['free', 'paid', 'other']

/** Reports of three gateways, each of which restarts at times: with `late` ones that arrive after newer ones, and doubled ones. */
function* sentReports(random: () => number, hour: number): Generator<Sent> {
  const pick = <Value>(of: readonly Value[]): Value => of[Math.floor(random() * of.length)] ?? expect.unreachable()
  const late: Sent[] = []
  for (const gateway of ['g1', 'g2', 'g3'])
    for (const boot of [`${hour}-1`, `${hour}-2`].slice(0, random() < 0.3 ? 2 : 1))
      for (const ofClass of CLASSES.slice(Math.floor(random() * 2))) {
        const pool = pick(POOLS)
        const counting = new CountingGateway(random)
        for (let round = 0; round < 4; round += 1) {
          const window = windowOf(counting.count(Math.floor(random() * 12)), { pool, class: ofClass, hour })
          const reported = { gateway, boot, window }
          const fate = random()
          // What is not sent at all was lost.
          if (fate < 0.7) yield reported
          if (fate < 0.2) yield reported
          if (fate > 0.6 && fate < 0.9) late.push(reported)
        }
      }
  yield* late.toSorted(() => random() - 0.5)
}

/** Of each process the greatest totals that arrived. */
class Expected {
  readonly #greatest = new Map<string, ProfileWindow>()

  add({ gateway, boot, window }: Sent): void {
    const key = JSON.stringify([gateway, boot, window.pool, window.class, window.hour])
    const known = this.#greatest.get(key)
    if (!known || known.profile.rows < window.profile.rows) this.#greatest.set(key, window)
  }

  windows(matches: (window: ProfileWindow) => boolean = () => true): readonly ProfileWindow[] {
    return [...this.#greatest.values()].filter(matches)
  }

  profile(matches?: (window: ProfileWindow) => boolean): Profile | undefined {
    return discloseProfile(mergeProfiles(this.windows(matches).map(({ profile }) => profile)))
  }
}

async function expectExact(bed: ProfileBed, expected: Expected, span: { readonly from: number; readonly to: number }): Promise<void> {
  const within = ({ hour }: ProfileWindow): boolean => hour >= span.from && hour < span.to
  const query = `?from_at=${span.from * HOUR_S}&to_at=${span.to * HOUR_S}`
  const answer = await bed.profile(query)
  expect(answer.profile, `seed ${SEED}`).toEqual(expected.profile(within))
  for (const { at, ...figures } of answer.hours) {
    const shown = expected.profile(({ hour }) => hour === at / HOUR_S)
    const sketch = shown?.features['answer-tokens']
    const median = sketch?.kind === 'numbers' ? summaryOf(sketch.bins).quantile(0.5) : undefined
    expect(figures.rows, `seed ${SEED}`).toBe(shown?.rows)
    if (figures['answer-tokens']) expect(figures['answer-tokens'].p50).toBe(Math.round(median ?? Number.NaN))
  }
  expect(answer.hours.map(({ at }) => at / HOUR_S)).toEqual(
    [...new Set(expected.windows(within).map(({ hour }) => hour))].toSorted((a, b) => a - b),
  )
  const ofPaid = await bed.profile(`${query}&class=paid&revision=1`)
  expect(ofPaid.profile).toEqual(expected.profile((window) => within(window) && window.class === 'paid' && window.pool !== 'chat@2'))
  const ofSecond = await bed.profile(`${query}&revision=2`)
  expect(ofSecond.profile).toEqual(expected.profile((window) => within(window) && window.pool === 'chat@2'))
}

onEachDatabase((opened) => {
  let bed: ProfileBed
  beforeAll(async () => {
    bed = await profileBed(opened().database)
  }, BED_TIMEOUT_MS)
  afterAll(() => bed.api.close())

  const compact = () => compactProfiles({ database: bed.database, now: () => bed.clock.hour * HOUR_S })
  const compactAll = async (): Promise<void> => {
    for (let left = 1; left > 0;) {
      const { due, failed } = await compact()
      expect(failed).toEqual([])
      left = due
    }
  }

  test(
    `repeated, late, lost and doubled reports add up exactly, before and after hours and days are merged (seed ${SEED})`,
    { timeout: TIMEOUT_MS },
    async () => {
      const random = randomFrom(SEED)
      const expected = new Expected()
      const first = FIRST_HOUR + 24
      const last = first + 80
      const held: Sent[] = []
      for (let hour = first; hour < last; hour += 4) {
        bed.clock.hour = hour
        for (const sent of [...sentReports(random, hour), ...held.splice(0, random() < 0.2 ? held.length : 0)]) {
          if (random() < 0.05) held.push(sent)
          if (sent.window.hour < hour - 48) continue
          expect(await bed.report(sent, [sent.window])).toBe(204)
          expected.add(sent)
        }
        if (random() < 0.3) await compact()
      }
      await expectExact(bed, expected, { from: first, to: last })
      bed.clock.hour = last + 20
      await compactAll()
      await expectExact(bed, expected, { from: first, to: last })
      bed.clock.hour = last + 100
      await compactAll()
      await expectExact(bed, expected, { from: first, to: last })
      for (let each = 0; each < 5; each += 1) {
        const from = first + Math.floor(random() * 40)
        await expectExact(bed, expected, { from, to: from + 1 + Math.floor(random() * 40) })
      }
      // Reports of hours that are merged, by a control plane whose clock is behind.
      bed.clock.hour = last
      for (const sent of sentReports(random, first + 5)) expect(await bed.report({ ...sent, boot: 'other' }, [sent.window])).toBe(204)
      await expectExact(bed, expected, { from: first, to: last })
      const left = await bed.database.selectFrom('profile_windows').select('hour').execute()
      expect(left).toEqual([])
    },
  )

  test('a feature that is counted after its row is newer with the same rows, and the older never comes back', async () => {
    bed.clock.hour = FIRST_HOUR + 300
    const hour = bed.clock.hour
    const sampled = (embedded: number): Profile => ({
      rows: 30,
      features: { ...profileOf(30).features, embedding: numbers({ '2500': embedded }) },
    })
    for (const embedded of [6, 20, 6]) await bed.report({ gateway: 'g1', boot: 'b' }, [windowOf(sampled(embedded), { hour })])
    expect((await bed.profile(`?from_at=${hour * HOUR_S}`)).profile?.features['embedding']).toEqual(numbers({ '2500': 20 }))
  })

  describe('what is sent with ill will', () => {
    const source = { gateway: 'g9', boot: 'b' }
    const readAround = () => bed.profile(`?from_at=${(bed.clock.hour - 60) * HOUR_S}&to_at=${(bed.clock.hour + 60) * HOUR_S}`)

    test('unknown pools, hours to come and hours long gone are dropped, the others are taken', async () => {
      bed.clock.hour = FIRST_HOUR + 500
      const hour = bed.clock.hour
      const taken = [hour, hour + 2, hour - 48].map((each) => windowOf(profileOf(10), { hour: each }))
      const dropped = [
        ...['no@1', 'chat@3', 'chat', 'chat@', '@1', 'chat@1@1', "chat'; --", 'chat@1-shadow', 'chat@999999999999'].map((pool) =>
          windowOf(profileOf(10), { pool, hour }),
        ),
        ...[hour + 3, hour - 49, 0, 10_000_000].map((each) => windowOf(profileOf(10), { hour: each })),
      ]
      expect(await bed.report(source, [...dropped, ...taken])).toBe(204)
      expect(await readAround()).toMatchObject({ profile: { rows: 30 }, gateways: 1, hours: [{}, {}, {}] })
    })

    test('what is not a profile is refused with the path, and what is too much with the limit', async () => {
      const sent = async (body: object | string, as = bed.tokens.operator) => {
        const { status, json } = await bed.call({
          method: 'POST',
          url: '/v1/gateways/g9/profiles',
          as,
          body,
          headers: { 'content-type': 'application/json' },
        })
        return `${status} ${json?.title ?? ''}`
      }
      const features = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, numbers({ '1': 1 })]))
      expect(await sent({ boot: 'b', windows: [windowOf({ rows: 1, features: features(501) })] })).toMatch(
        /^400 .*windows.0.profile.features.*500 features/,
      )
      expect(await sent({ boot: 'b', windows: [windowOf({ rows: -1, features: {} })] })).toMatch(/^400 .*windows.0.profile.rows/)
      expect(await sent({ boot: 'b', windows: [windowOf({ rows: 1, features: { a: numbers({ '99999': 1 }) } })] })).toMatch(/^400 .*bins/)
      expect(await sent({ boot: 'b', windows: Array.from({ length: 201 }, () => windowOf(profileOf(1))) })).toMatch(/^400 .*windows/)
      expect(await sent({ boot: 'b\u0000', windows: [] })).toMatch(/^400 .*boot/)
      expect(await sent({ boot: 'b', windows: [windowOf(profileOf(1), { class: 'a\u0000' })] })).toMatch(/^400 .*class/)
      expect(await sent(`{"boot": "b", "windows": [], "__proto__": {"rows": 1}}`)).toMatch(/^400/)
      expect(await sent({ boot: 'x'.repeat(5 << 20), windows: [] })).toMatch(/^413/)
    })

    test('names that mean something to JavaScript are names', async () => {
      bed.clock.hour = FIRST_HOUR + 600
      const hour = bed.clock.hour
      const features = { constructor: numbers({ '5': 30 }), toString: { kind: 'words', counts: { constructor: 30 } } } as const
      await bed.report(source, [
        windowOf({ rows: 30, features }, { hour, class: '__proto__' }),
        windowOf({ rows: 30, features }, { hour, class: 'constructor' }),
      ])
      const shown = { rows: 60, features: { constructor: numbers({ '5': 60 }), toString: { kind: 'words', counts: { constructor: 60 } } } }
      expect(await readAround()).toMatchObject({ profile: shown, classes: ['__proto__', 'constructor'] })
      bed.clock.hour += 100
      await compactAll()
      bed.clock.hour -= 100
      expect(await readAround()).toMatchObject({ profile: shown, classes: ['__proto__', 'constructor'] })
    })

    test('counts beyond what one machine can do are dropped, so that sums stay exact', async () => {
      bed.clock.hour = FIRST_HOUR + 800
      await bed.report(source, [windowOf(profileOf(Number.MAX_SAFE_INTEGER), { hour: bed.clock.hour })])
      expect(await readAround()).toMatchObject({ hours: [], reason: expect.stringContaining('fewer than 20') })
    })

    test('only a gateway with its own token and operators may report', async () => {
      const token = (await issueToken(bed.database, { name: 'g7', role: 'gateway', actor: 'test', at: 1 })).secret
      const status = async (gateway: string, as: string) =>
        (await bed.call({ method: 'POST', url: `/v1/gateways/${gateway}/profiles`, as, body: { boot: 'b', windows: [] } })).status
      expect([await status('g7', token), await status('g8', token), await status('g7', bed.tokens.viewer)]).toEqual([204, 403, 403])
      expect((await bed.call({ method: 'GET', url: '/v1/deployments/chat/profile', as: token })).status).toBe(403)
    })
  })

  test('too little is not shown, in sum or by hour', async () => {
    bed.clock.hour = FIRST_HOUR + 1000
    const hour = bed.clock.hour
    await bed.report({ gateway: 'g1', boot: 'b' }, [windowOf(profileOf(19), { hour })])
    const few = await bed.profile()
    expect(few).toMatchObject({ reason: expect.stringContaining('fewer than 20 answers') })
    expect(few).not.toHaveProperty('profile')
    expect(few.hours).toEqual([{ at: hour * HOUR_S }])
    await bed.report({ gateway: 'g2', boot: 'b' }, [windowOf(profileOf(1), { hour })])
    expect(await bed.profile()).toMatchObject({
      profile: { rows: 20 },
      gateways: 2,
      hours: [{ rows: 20, 'prompt-tokens': { p50: 15, p90: 15 } }],
    })
  })

  test.each([
    ['?from_at=5&to_at=5', undefined],
    ['?from_at=7200&to_at=3600', 'querystring.from_at: is not before to_at'],
    [`?from_at=0&to_at=${401 * 24 * HOUR_S}`, 'querystring.from_at: is more than 400 days before to_at'],
    ['?from_at=1e300', 'querystring/from_at'],
    ['?revision=0', 'querystring/revision'],
    ['?class=', 'querystring/class'],
  ])('a query for %s', async (query, problem) => {
    const { status, json } = await bed.call({ method: 'GET', url: `/v1/deployments/chat/profile${query}`, as: bed.tokens.viewer })
    expect(status).toBe(problem === undefined ? 200 : 400)
    if (problem !== undefined) expect(json.title.replaceAll('/', '.')).toContain(problem.replaceAll('/', '.'))
  })

  test('a deployment that is removed keeps its profiles, by its id, until they are too old', async () => {
    const { json } = await bed.call({ method: 'GET', url: '/v1/deployments/chat', as: bed.tokens.viewer })
    await bed.database.updateTable('deployments').set({ state: 'removed' }).where('id', '=', json.id).execute()
    const hour = FIRST_HOUR + 1000
    const read = () =>
      bed.call({
        method: 'GET',
        url: `/v1/deployments/${json.id}/profile?from_at=${hour * HOUR_S}&to_at=${(hour + 1) * HOUR_S}`,
        as: bed.tokens.viewer,
      })
    for (const days of [10, 399]) {
      bed.clock.hour = hour + 24 * days
      await compactAll()
      expect((await read()).json).toMatchObject({ profile: { rows: 20 } })
    }
    bed.clock.hour = hour + 24 * 402
    await compactAll()
    expect((await read()).json).toMatchObject({ hours: [] })
    for (const table of ['profile_windows', 'profile_hours', 'profile_days'] as const)
      expect(await bed.database.selectFrom(table).select('deployment_id').execute()).toEqual([])
  })
})

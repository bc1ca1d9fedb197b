import { describe, expect, test } from 'vitest'
import { parseAccessSpec } from './access-spec.ts'
import { GATEWAY_CONFIG, parseSnapshot, STORED_GATEWAY_CONFIG } from './gateway-snapshot.ts'
import { GATEWAY_SYNC } from './gateway-sync.ts'
import { PROFILE_REPORT } from './profile.ts'
import { REPORT } from './report.ts'

const KEY = { sha256: 'a'.repeat(64), tenant: 't' }
const DOCUMENT = { version: 2, pools: {}, models: {}, tenants: { t: {} }, keys: [KEY] }

const parsedSnapshot = (document: object) => {
  const answer = parseSnapshot(document)
  return answer.ok ? answer.snapshot : answer.problem
}

describe('what a newer peer says beyond what is known here', () => {
  test('a snapshot with new fields is taken, keys and all, as if they were not there', () => {
    const known = parsedSnapshot({
      ...DOCUMENT,
      pools: { p: { replicas: [{ id: 'r', url: 'http://h' }] } },
      models: { m: { targets: [{ pool: 'p' }] } },
    })
    const newer = {
      ...DOCUMENT,
      tenants: { t: { new_limit: 5 } },
      keys: [{ ...KEY, new_right: true }],
      limits: { new_limit_s: 3 },
      pools: { p: { replicas: [{ id: 'r', url: 'http://h', zone: 'a' }], new_setting: {} } },
      models: { m: { targets: [{ pool: 'p', why: 'x' }], new_setting: 1 } },
      new_section: [1],
    }
    expect(parsedSnapshot(newer)).toEqual(known)
  })

  test('a router that is not known here gives way to the default, a level of logging to none', () => {
    const snapshot = parsedSnapshot({
      ...DOCUMENT,
      pools: { p: { replicas: [], router: 'clairvoyant' } },
      keys: [{ ...KEY, log: 'everything' }],
    })
    expect(snapshot).toMatchObject({ pools: { p: { router: 'kv-aware' } }, keys: [{ log: 'none' }] })
  })

  test('a figure that only a newer gateway has is dropped, the rest is taken', () => {
    const sync = { boot: 'b', version: 1, leaving: false, pools: [], replicas: [] }
    expect(GATEWAY_SYNC.parse({ ...sync, new_figure: 1 })).toEqual(sync)
  })

  test('fields of a profile that only a newer gateway has are dropped wherever they are, the counts are taken', () => {
    const sketch = { kind: 'words', counts: { stop: 3 } }
    const window = { pool: 'chat@1', class: 'other', hour: 5, profile: { rows: 3, features: { ending: sketch } } }
    const newer = { ...window, zone: 'a', profile: { rows: 3, sampled: 2, features: { ending: { ...sketch, seed: 1 } } } }
    expect(PROFILE_REPORT.parse({ boot: 'b', windows: [newer], clock: 7 })).toEqual({ boot: 'b', windows: [window] })
  })

  test('a report with an exit and a note of a new kind is taken with both', () => {
    const exit = { node: 'n', index: 0, rank: 0, code: 1, signal: null, at: 0, tail: '', new_field: 1 }
    const note = { kind: 'new-kind-of-note', at: 0, detail: {} }
    const report = REPORT.parse({ node: 'n', index: 0, sequence: 1, sent_at: 0, exits: [exit], notes: [note], new_list: [] })
    expect(report).toMatchObject({ exits: [{ code: 1 }], notes: [note] })
  })

  test('a stored configuration of a newer control plane is read', () => {
    expect(STORED_GATEWAY_CONFIG.parse({ tenants: { t: { new_limit: 5 } }, keys: [KEY] })).toMatchObject({ tenants: { t: { weight: 1 } } })
  })
})

describe('what a person writes', () => {
  for (const [where, wrong] of [
    ['a tenant', { tenants: { t: { requests_per_minutes: 5 } } }],
    ['a key', { keys: [{ ...KEY, expires: 5 }] }],
    ['the limits', { limits: { body: 5 } }],
    ['a pool', { pools: { p: { routers: 'sticky' } } }],
    ['the router of a pool', { pools: { p: { router: 'clairvoyant' } } }],
    ['a model', { models: { m: { deadline: 5 } } }],
  ] as const)
    test(`an unknown field of ${where} is an error`, () => {
      const document = { tenants: { t: {} }, keys: [KEY], ...wrong }
      expect(GATEWAY_CONFIG.safeParse(document).success).toBe(false)
      expect(() => parseAccessSpec({ apiVersion: 'ironlaw/v1', kind: 'Access', ...document }, 'access.yaml')).toThrow('access.yaml')
    })
})

import { describe, expect, test } from 'vitest'
import { GATEWAY_CONFIG, parseSnapshot, STORED_GATEWAY_CONFIG } from './gateway-snapshot.ts'

const documentOf = (tenant: object) => ({ version: 1, pools: {}, models: {}, tenants: { t: tenant }, keys: [] })

describe('the class of a tenant', () => {
  test('is "default" where a document of before does not name one', () => {
    const parsed = parseSnapshot(documentOf({}))
    expect(parsed.ok && parsed.snapshot.tenants['t']?.class).toBe('default')
    expect(STORED_GATEWAY_CONFIG.parse({ tenants: { t: {} }, keys: [] }).tenants['t']?.class).toBe('default')
  })

  test.each(['batch', 'a-1', '0', 'x'.repeat(63)])('may be %j', (name) => {
    const parsed = parseSnapshot(documentOf({ class: name }))
    expect(parsed.ok && parsed.snapshot.tenants['t']?.class).toBe(name)
  })

  test.each(['', 'Batch', 'a b', 'a_b', 'ä', 'x'.repeat(64), 7, null])('may not be %j', (name) => {
    expect(GATEWAY_CONFIG.safeParse({ tenants: { t: { class: name } }, keys: [] }).success).toBe(false)
  })
})

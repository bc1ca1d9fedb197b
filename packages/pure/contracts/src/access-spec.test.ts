import { expect, test } from 'vitest'
import { parseAccessSpec } from './access-spec.ts'

const KEY = { sha256: 'a'.repeat(64), tenant: 'search' }
const spec = (over: object): object => ({ apiVersion: 'ironlaw/v1', kind: 'Access', tenants: { search: {} }, keys: [KEY], ...over })

test('tenants and keys, with what was left out', () => {
  const { config, basedOn } = parseAccessSpec(spec({ based_on: 'tag' }), 'access.yaml')
  expect(basedOn).toBe('tag')
  expect(config).toMatchObject({ keys: [{ tenant: 'search', priority: 0 }], tenants: { search: { weight: 1 } }, models: {} })
  expect(config).not.toHaveProperty('kind')
  expect(config).not.toHaveProperty('based_on')
})

test('a key of a tenant that is not there, and a field that is none, are named', () => {
  const bad = (over: object) => () => parseAccessSpec(spec(over), 'access.yaml')
  expect(bad({ keys: [KEY, { ...KEY, tenant: 'serach' }] })).toThrow('access.yaml: keys.1.tenant: there is no tenant "serach"')
  expect(bad({ tenant: {} })).toThrow('tenant: unknown field; did you mean tenants?')
})

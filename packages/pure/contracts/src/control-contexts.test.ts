import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import {
  withContext,
  contextDocument,
  isContextName,
  namedContext,
  NO_CONTEXTS,
  readContexts,
  withoutContext,
  withStartedContext,
  freeContextName,
} from './control-contexts.ts'

const HERE = { api: 'http://127.0.0.1:7600', token: 'il_here' }
const THERE = { api: 'https://ironlaw.example.org', token: 'il_there' }

test('a file from before contexts had names is the control plane of this machine', () => {
  const contexts = readContexts(HERE)
  expect(contexts).toEqual({ current: 'local', entries: new Map([['local', { ...HERE, madeBy: 'up' }]]) })
})

test('commands from before contexts had names find the current one where they look', () => {
  const both = withContext(withStartedContext(NO_CONTEXTS, 'local', HERE), 'there', THERE)
  expect(contextDocument(both)).toMatchObject(HERE)
  expect(contextDocument({ ...both, current: 'there' })).toMatchObject(THERE)
})

const NAMES = fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,10}$/).filter((name) => name !== '__proto__')

property.prop([fc.uniqueArray(NAMES, { minLength: 1, maxLength: 5 }), fc.nat()])('what is written is read again', (names, index) => {
  const entries = new Map(names.map((name) => [name, { ...THERE, token: `il_${name}` }]))
  for (const current of [names[index % names.length], undefined]) {
    const contexts = { current, entries }
    expect(readContexts(JSON.parse(JSON.stringify(contextDocument(contexts))))).toEqual(contexts)
  }
})

test.each([
  null,
  [],
  'text',
  7,
  {},
  { api: 'http://a' },
  { ...HERE, api: 'file:///etc/passwd' },
  { ...HERE, others: { x: {} } },
  { others: 7 },
])('%j is no context file', (document) => expect(readContexts(document)).toBeUndefined())

test.each(['', '-x', 'a b', '../x', 'x/y', 'a'.repeat(64)])('%j cannot name a context', (name) => expect(isContextName(name)).toBe(false))

test('a start keeps a remote context current, and takes over from another control plane of this machine', () => {
  const remote = withContext(NO_CONTEXTS, 'there', THERE)
  expect(withStartedContext(remote, 'local', HERE).current).toBe('there')
  const local = withStartedContext(NO_CONTEXTS, 'local', HERE)
  expect(withStartedContext(local, 'local-7700', { ...HERE, api: 'http://127.0.0.1:7700' }).current).toBe('local-7700')
})

test('a second control plane of this machine gets a name of its own', () => {
  const other = 'http://127.0.0.1:7700'
  const first = withStartedContext(NO_CONTEXTS, freeContextName(NO_CONTEXTS, HERE.api), HERE)
  expect(freeContextName(first, HERE.api)).toBe('local')
  expect(freeContextName(first, other)).toBe('local-7700')
  // Somebody gave that name to something else.
  expect(freeContextName(withContext(first, 'local-7700', THERE), other)).toBe('local-7700-2')
})

test('removing the current one leaves none', () => {
  const left = withoutContext(withContext(withContext(NO_CONTEXTS, 'a', HERE), 'b', THERE), 'a')
  expect([left.current, [...left.entries.keys()]]).toEqual([undefined, ['b']])
})

test('an unknown name is answered with the near one', () => {
  const known = withContext(NO_CONTEXTS, 'production', THERE)
  expect(() => namedContext(known, 'prodution', 'f')).toThrow(
    expect.objectContaining({ next: expect.stringContaining('did you mean production?') }),
  )
  expect(() => namedContext(known, 'toString', 'f')).toThrow('there is no context "toString" in f')
})

import { expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'
import { RECORDED_SPEC, REPORTED_ENVIRONMENT, RUN_CODE, withoutValues } from './run-origin.ts'
import { sha256 } from './sha256.ts'

const COMMIT = 'a'.repeat(40)

test('of environment variables a spec keeps the names, wherever they stand', () => {
  const spec = {
    kind: 'Train',
    run: { program: ['train.py'], environment: { TOKEN: 'planted', B: '1' } },
    list: [{ environment: { C: 'planted' } }],
  }
  expect(withoutValues(spec)).toEqual({
    kind: 'Train',
    run: { program: ['train.py'], environment: ['TOKEN', 'B'] },
    list: [{ environment: ['C'] }],
  })
  expect(withoutValues({ environment: 'image@sha256:1' })).toEqual({ environment: 'image@sha256:1' })
})

test.each([
  ['https://host/x.git', true],
  ['host:team/x.git', true],
  ['ssh://host:2222/x.git', true],
  ['https://ada:token@host/x.git', false],
  ['token@host:x.git', false],
  ['https://host/a\nb', false],
])('the address %j of a repository is taken: %s', (remote, taken) => {
  expect(RUN_CODE.safeParse({ commit: COMMIT, path: '', remote }).success).toBe(taken)
})

test.each([
  ['no commit', { commit: 'main', path: '' }],
  ['a commit of an older git', { commit: COMMIT.slice(1), path: '' }],
  ['nothing that changed', { commit: COMMIT, path: '', changes: { digest: 'b'.repeat(64), count: 0, files: [] } }],
  ['a path of two lines', { commit: COMMIT, path: 'a\nb' }],
])('%s is no code of a run', (_, code) => expect(RUN_CODE.safeParse(code).success).toBe(false))

test('a digest of packages is that of canonical JSON, as agents compute it', () => {
  // The same packages in python/tests/test_inventory.py.
  expect(sha256(canonicalJson({ b: '2', 'a-x': '1.0+é' }))).toBe('8ca4f4cf509f1f1ad42d2f0f8345b044a9bd476035c103bbbb3c97f11f367dfd')
})

test('what newer agents add to an environment is left out, and what is malformed is none', () => {
  expect(REPORTED_ENVIRONMENT.parse({ kernel: 'Linux 6', planted: 1 })).toEqual({ kernel: 'Linux 6' })
  for (const wrong of [{ image: 'train:latest' }, { packages: { 'A B': '1' } }, { python: 'x\ny' }, { accelerators: 'h100' }])
    expect(REPORTED_ENVIRONMENT.safeParse(wrong).success).toBe(false)
})

test('a spec that is too long is not kept', () => {
  expect(RECORDED_SPEC.safeParse({ kind: 'Job', command: 'x'.repeat(70_000) }).success).toBe(false)
})

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { program } from '../program.ts'
import { context } from './context.ts'
import { addContextEntry, contextsAnswer, removeContextEntry, switchContext } from './contexts.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-contexts-'))
const FILE = join(directory, 'deep/context.json')
const VARIABLES = ['IRONLAW_CONTEXT', 'IRONLAW_CONTEXT_NAME', 'IRONLAW_API', 'IRONLAW_TOKEN'] as const
const before = VARIABLES.map((name) => [name, process.env[name]] as const)
afterAll(() => {
  rmSync(directory, { recursive: true })
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})
beforeEach(() => {
  for (const name of VARIABLES) delete process.env[name]
  process.env['IRONLAW_CONTEXT'] = FILE
  rmSync(FILE, { force: true })
})

const TOKEN = `il_${'x'.repeat(43)}`
const tokenFile = join(directory, 'token')
writeFileSync(tokenFile, `${TOKEN}\n`)
const add = (name: string, api = `https://${name}.example.org`) => addContextEntry(name, { api, tokenFile })

test('contexts are added, chosen, listed without tokens and removed, in a file that only its owner reads', () => {
  add('staging')
  add('production')
  expect(context()).toMatchObject({ name: 'staging', api: 'https://staging.example.org', token: TOKEN })
  switchContext('production')
  expect(context()).toMatchObject({ name: 'production', api: 'https://production.example.org' })
  const { json, text } = contextsAnswer()
  expect(text()).toMatch(/\* +production +https:\/\/production/)
  expect(JSON.stringify(json)).not.toContain(TOKEN)
  expect(statSync(FILE).mode & 0o777).toBe(0o600)
  removeContextEntry('production')
  expect(() => context()).toThrow('is the current one')
  expect(readFileSync(FILE, 'utf8')).not.toContain('production')
})

test('the flag overrides the environment, which overrides the current context', async () => {
  add('staging')
  add('production')
  process.env['IRONLAW_CONTEXT_NAME'] = 'production'
  expect(context().api).toBe('https://production.example.org')
  process.env['IRONLAW_API'] = 'http://127.0.0.1:1'
  process.env['IRONLAW_TOKEN'] = 'il_env'
  expect(context().api).toBe('http://127.0.0.1:1')
  const wrong = program().parseAsync(['node', 'ironlaw', 'get', '--context', 'prodution'])
  await expect(wrong).rejects.toMatchObject({ code: 'IL_UNKNOWN_CONTEXT', next: expect.stringContaining('did you mean production?') })
  expect(process.env['IRONLAW_TOKEN']).toBeUndefined()
})

test('a file that "ironlaw up" wrote before contexts had names keeps its control plane', () => {
  add('x')
  writeFileSync(FILE, '{"api":"http://127.0.0.1:7600","token":"il_old"}')
  expect(context()).toMatchObject({ name: 'local', api: 'http://127.0.0.1:7600', token: 'il_old' })
  add('production')
  expect(context().name).toBe('local')
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toMatchObject({ api: 'http://127.0.0.1:7600', token: 'il_old' })
})

test('what cannot be added is refused, and the file stays as it was', () => {
  add('staging')
  const kept = readFileSync(FILE, 'utf8')
  expect(() => add('staging')).toThrow('there is a context "staging" already: https://staging.example.org')
  expect(() => add('a/b')).toThrow('is not a context name')
  expect(() => add('x', 'example.org')).toThrow('--api example.org: expected an address')
  expect(() => add('x', 'file:///etc')).toThrow('--api file:///etc: expected an address')
  writeFileSync(join(directory, 'made.json'), `{"secret":"${TOKEN}"}`)
  expect(() => addContextEntry('x', { api: 'http://x', tokenFile: join(directory, 'made.json') })).toThrow('expected only a token')
  expect(() => removeContextEntry('stagin')).toThrow('there is no context "stagin"')
  expect(readFileSync(FILE, 'utf8')).toBe(kept)
})

test('a file with other content is refused, with what to do', () => {
  add('x')
  writeFileSync(FILE, '{"others":{"x":{"api":7}}}')
  expect(() => context()).toThrow('it does not hold addresses and tokens of control planes')
})

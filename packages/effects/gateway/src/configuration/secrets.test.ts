import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseSnapshot } from '@ironlaw/contracts/gateway-snapshot'
import { describe, expect, test } from 'vitest'
import { databaseUrl, engineToken, tokenWarnings } from './secrets.ts'

const environment = { IRONLAW_TOKEN: 'il_secret', IRONLAW_ENGINE_TOKEN: 'one', IRONLAW_ENGINE_TOKEN_VLLM_2: 'two', PATH: '/bin' }

describe('a configuration can name no variable but those for engines', () => {
  for (const [variable, token] of [
    ['IRONLAW_ENGINE_TOKEN', 'one'],
    ['IRONLAW_ENGINE_TOKEN_VLLM_2', 'two'],
    ['IRONLAW_ENGINE_TOKEN_NONE', undefined],
    ['IRONLAW_TOKEN', undefined],
    ['PATH', undefined],
    ['IRONLAW_ENGINE_TOKENS', undefined],
    ['XIRONLAW_ENGINE_TOKEN', undefined],
    [undefined, undefined],
  ] as const)
    test(String(variable), () => expect(engineToken(variable, environment)).toBe(token))

  test('a warning names the pool without a token, and what to do', () => {
    const parsed = parseSnapshot({
      version: 1,
      pools: {
        fine: { replicas: [], token_variable: 'IRONLAW_ENGINE_TOKEN' },
        old: { replicas: [], token_variable: 'VLLM_KEY' },
        unset: { replicas: [], token_variable: 'IRONLAW_ENGINE_TOKEN_NONE' },
      },
      models: {},
      tenants: {},
      keys: [],
    })
    expect(parsed.ok && tokenWarnings(parsed.snapshot, environment)).toEqual([
      expect.stringMatching(/"old".*VLLM_KEY is not read.*rename/),
      expect.stringMatching(/"unset".*IRONLAW_ENGINE_TOKEN_NONE is not set/),
    ])
  })
})

describe('the address of the database', () => {
  const nothing = { flag: undefined, file: undefined, environment: {} }

  test('on the command line, with a warning only where a password is in it', () => {
    expect(databaseUrl({ ...nothing, flag: 'postgres://host/db' })).toEqual({ url: 'postgres://host/db?sslmode=verify-full' })
    for (const flag of ['postgres://user:secret@127.0.0.1/db', 'postgres://127.0.0.1/db?password=secret'])
      expect(databaseUrl({ ...nothing, flag })).toEqual({ url: flag, warning: expect.stringContaining('--database-file') })
  })

  test('from a file or the environment, without one', () => {
    const directory = mkdtempSync(join(tmpdir(), 'ironlaw-secrets-'))
    const file = join(directory, 'url')
    writeFileSync(file, 'postgres://user:secret@host/db\n')
    expect(databaseUrl({ ...nothing, file })).toEqual({ url: 'postgres://user:secret@host/db?sslmode=verify-full' })
    rmSync(directory, { recursive: true })
    expect(databaseUrl({ ...nothing, environment: { IRONLAW_GATEWAY_DATABASE: 'postgres://localhost/e' } })).toEqual({
      url: 'postgres://localhost/e',
    })
    expect(databaseUrl(nothing)).toEqual({ url: undefined })
  })
})

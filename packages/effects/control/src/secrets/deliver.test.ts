import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { afterAll, expect, test } from 'vitest'
import { sharedStorage } from '../storage/shared-storage.ts'
import { jobSecrets, requireSecrets, secretVariables } from './deliver.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-deliver-'))
const storage = sharedStorage(() => undefined)
afterAll(() => {
  storage.close()
  rmSync(directory, { recursive: true })
})

const VALUES = new Map([['hf-token', 'planted-value']])
const delivery = { directory, project: 'search', references: { HF_TOKEN: 'hf-token' } }
const secrets = { valuesOf: async (_: string, names: readonly string[]) => new Map([...VALUES].filter(([name]) => names.includes(name))) }

test('files that only their owner reads, again with the newest value, and removed', async () => {
  const { provide, remove } = jobSecrets({ storage, secrets })
  const file = join(directory, 'secrets', 'HF_TOKEN')
  expect(await provide(delivery)).toBeUndefined()
  expect(readFileSync(file, 'utf8')).toBe('planted-value')
  VALUES.set('hf-token', 'another-value')
  expect(await provide(delivery)).toBeUndefined()
  expect(readFileSync(file, 'utf8')).toBe('another-value')
  expect([statSync(file).mode & 0o777, statSync(join(directory, 'secrets')).mode & 0o777]).toEqual([0o400, 0o700])
  expect(await remove(directory)).toBe(true)
  expect(await remove(directory)).toBe(true)
  expect(existsSync(join(directory, 'secrets'))).toBe(false)
}, 30_000)

test('what was deleted since is said to be missing; a key that is away is waited for; nothing is written', async () => {
  const gone = jobSecrets({ storage, secrets: { valuesOf: async () => new Map() } })
  expect(await gone.provide(delivery)).toMatchObject({ away: expect.stringContaining('ironlaw secret set hf-token'), isMissing: true })
  const problem = new IronlawError('IL_SECRETS_KEY', { problem: 'the key file is away', next: '' })
  const locked = jobSecrets({ storage, secrets: { valuesOf: () => Promise.reject(problem) } })
  expect(await locked.provide(delivery)).toEqual({ away: 'the key file is away' })
  expect(existsSync(join(directory, 'secrets'))).toBe(false)
})

test('the scheduler is told names and paths', () => {
  expect(secretVariables('/runs/r', { HF_TOKEN: 'hf-token' })).toEqual({
    IRONLAW_SECRETS_DIR: '/runs/r/secrets',
    IRONLAW_SECRETS: 'HF_TOKEN',
    HF_TOKEN_FILE: '/runs/r/secrets/HF_TOKEN',
  })
  expect(secretVariables('/runs/r')).toEqual({})
})

test('a name that the project does not have is refused with its field', async () => {
  const list = async () => [{ name: 'hf-token', version: 1, created_at: 1, created_by: 'ada' }]
  const path = 'body.program.secrets'
  await requireSecrets({ list }, { project: 'search', references: { A: 'hf-token' }, path })
  await expect(requireSecrets({ list }, { project: 'search', references: { A: 'hf-tokn' }, path })).rejects.toThrow(
    'body.program.secrets.A: project search has no secret "hf-tokn"',
  )
})

import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { signedToken, userTokens } from './user-tokens.ts'

const folder = mkdtempSync(join(tmpdir(), 'user-tokens-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a token names its user and ends within minutes', () => {
  const key = Buffer.from('the key of the cluster')
  const [header = '', claims = '', signature] = signedToken(key, 'search', 1000.7).split('.')
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({ iat: 1000, exp: 1600, sun: 'search' })
  expect(signature).toBe(createHmac('sha256', key).update(`${header}.${claims}`).digest('base64url'))
})

test('a token is kept for each user until shortly before its end', async () => {
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, 'key')
  let now = 0
  const tokenOf = userTokens({ keyFile }, () => now)
  const first = await tokenOf('a')
  expect(await tokenOf('b')).not.toBe(first)
  now = 479
  expect(await tokenOf('a')).toBe(first)
  now = 481
  expect(await tokenOf('a')).not.toBe(first)
})

test("a site's own command may print it", async () => {
  const command = join(folder, 'print-token')
  writeFileSync(command, '#!/bin/sh\necho "SLURM_JWT=token-of-$1"\n', { mode: 0o755 })
  expect(await userTokens({ command })('search')).toBe('token-of-search')
})

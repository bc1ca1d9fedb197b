// Signing in from the command line, against a control plane with a real OpenID provider.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { apiBed } from '../packages/effects/control/test/api-bed.ts'
import { Visitor } from '../packages/effects/control/test/identity-provider.ts'
import { type SignInBed, signInBed } from '../packages/effects/control/test/sign-in-bed.ts'
import { api } from '../packages/apps/cli/src/api/api-client.ts'
import { context } from '../packages/apps/cli/src/context/context.ts'
import { logIn, logOut } from '../packages/apps/cli/src/sign-in/login.ts'
import { listSessions, revokeSessions } from '../packages/apps/cli/src/sign-in/sessions.ts'
import { terminateTls } from './tls-terminator.ts'

const folder = mkdtempSync(join(tmpdir(), 'ironlaw-login-'))
const FILE = join(folder, 'context.json')
const before = process.env['IRONLAW_CONTEXT']
let rig: SignInBed
beforeAll(async () => {
  rig = await signInBed()
  process.env['IRONLAW_CONTEXT'] = FILE
}, 120_000)
beforeEach(() => rmSync(FILE, { force: true }))
afterAll(async () => {
  if (before === undefined) delete process.env['IRONLAW_CONTEXT']
  else process.env['IRONLAW_CONTEXT'] = before
  await rig.close()
  rmSync(folder, { recursive: true })
})

/** Polls at once, except that the person confirms before the second poll. */
function personWho(confirms: (address: string) => Promise<unknown>) {
  let address = ''
  let polls = 0
  const lines: string[] = []
  return {
    lines,
    tell: (line: string) => {
      lines.push(line)
      address = /Open (\S+)/.exec(line)?.[1] ?? ''
    },
    wait: async () => (polls++ === 1 ? confirms(address) : undefined),
  }
}

const confirm = (login: string) => (address: string) => new Visitor().signInAt(address, login)

test('a code that is confirmed in any browser signs in, for as long as a session lasts', { timeout: 60_000 }, async () => {
  const person = personWho(confirm('sam'))
  const { text } = await logIn({ api: rig.url, as: 'team' }, person)
  expect(person.lines.join()).toMatch(/confirm the code [A-Z]{4}-[A-Z]{4}\.$/)
  expect(text()).toContain(`signed in to ${rig.url} as sam of the tests until`)
  expect(statSync(FILE).mode & 0o777).toBe(0o600)
  const to = context()
  expect(to).toMatchObject({ name: 'team', api: rig.url, person: 'sam of the tests' })
  expect((await api(to).listRuns({})).items).toEqual([])
  await expect(api(to).listNodes({})).resolves.toBeDefined()
  rig.pass(12 * 3600)
  await expect(api(to).listRuns({})).rejects.toMatchObject({ code: 'IL_UNAUTHENTICATED', next: expect.stringContaining('ironlaw login') })
})

test('a session has no login code: the console signs in itself', { timeout: 60_000 }, async () => {
  await logIn({ api: rig.url, as: 'team' }, personWho(confirm('sam')))
  await expect(api(context()).createLoginCode({})).rejects.toMatchObject({ next: expect.stringContaining('sign in there') })
})

test('signing out ends the session and forgets its context', { timeout: 60_000 }, async () => {
  await logIn({ api: rig.url, as: 'team' }, personWho(confirm('ada')))
  const to = context()
  expect((await logOut()).text()).toContain('signed out')
  await expect(api(to).listRuns({})).rejects.toMatchObject({ code: 'IL_UNAUTHENTICATED' })
  expect(readFileSync(FILE, 'utf8')).not.toContain(to.token)
})

test('an administrator sees who is signed in, and ends all sessions of a person', { timeout: 60_000 }, async () => {
  await logIn({ api: rig.url, as: 'sam' }, personWho(confirm('sam')))
  const sam = context()
  await logIn({ api: rig.url, as: 'team' }, personWho(confirm('ada')))
  expect((await listSessions()).text()).toMatch(/^session-\S+ +oidc:sam +sam of the tests +command line/m)
  expect((await revokeSessions('oidc:sam')).text()).toMatch(/^session-\S+ is revoked$/m)
  await expect(api(sam).listRuns({})).rejects.toMatchObject({ code: 'IL_UNAUTHENTICATED' })
  expect((await listSessions()).text()).not.toContain('oidc:sam')
  await expect(revokeSessions('oidc:sam')).rejects.toMatchObject({ code: 'IL_NOT_FOUND' })
})

test('somebody without a team reads which groups came', { timeout: 60_000 }, async () => {
  await expect(logIn({ api: rig.url, as: 'team' }, personWho(confirm('eve')))).rejects.toThrow('the identity provider sent everybody')
})

test('a token that was not made by signing in is not overwritten', async () => {
  const entry = { name: 'local', api: rig.url, token: rig.bed.tokens.admin, madeBy: 'up', others: {} }
  writeFileSync(FILE, JSON.stringify(entry))
  await expect(logIn({ as: 'local' }, personWho(confirm('ada')))).rejects.toThrow('holds a token that "ironlaw login" did not make')
  await expect(logOut()).rejects.toThrow('was not made by "ironlaw login"')
  await logIn({}, personWho(confirm('ada')))
  expect(context().person).toBe('ada of the tests')
  expect(readFileSync(FILE, 'utf8')).toContain(rig.bed.tokens.admin)
})

test('the authority is named at the sign-in and kept with the session', { timeout: 60_000 }, async () => {
  const { url: address, ca, caFile, close } = await terminateTls(rig.url, join(folder, 'authority'))
  await expect(logIn({ api: address, as: 'secure' }, personWho(confirm('sam')))).rejects.toMatchObject({
    code: 'IL_UNREACHABLE',
    next: expect.stringContaining('--ca FILE'),
  })
  await expect(logIn({ api: address, as: 'secure', ca: FILE.replace('.json', '.pem') })).rejects.toMatchObject({ code: 'IL_FILE' })
  await logIn({ api: address, as: 'secure', ca: caFile }, personWho(confirm('sam')))
  expect(context()).toMatchObject({ name: 'secure', api: address, ca })
  expect((await api(context()).listRuns({})).items).toEqual([])
  close()
})

test('a code that is not one, or of another sign-in, is refused', async () => {
  const client = api({ api: rig.url, token: '' })
  await expect(client.pollDeviceSignIn({ body: { device_code: 'x' } })).rejects.toThrow('sign-in was refused')
  await expect(client.pollDeviceSignIn({ body: { device_code: '' } })).rejects.toThrow('device_code')
})

test('a control plane without a provider says so', async () => {
  const plain = await apiBed({ database: rig.bed.database })
  const address = await plain.api.listen({ host: '127.0.0.1', port: 0 })
  await expect(logIn({ api: address }, personWho(confirm('ada')))).rejects.toThrow('has no identity provider')
  await plain.api.close()
})

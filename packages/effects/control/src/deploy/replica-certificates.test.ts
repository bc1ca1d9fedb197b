// Certificates of replicas on real storage, from a real authority whose clock can be set back.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificateFacts, type LiveCertificate, openAuthority, pairProblem, renewCertificate } from '@ironlaw/certificates'
import { replicaTlsName } from '@ironlaw/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedStorage, STORAGE_LIMITS } from '../storage/shared-storage.ts'
import { type ReplicaCertificates, replicaCertificates, tlsDirectory } from './replica-certificates.ts'

const DAY_MS = 86_400_000
const root = mkdtempSync(join(tmpdir(), 'ironlaw-replica-certificates-'))
/** Starting its process takes a while on a busy machine. */
const storage = sharedStorage(() => undefined, { ...STORAGE_LIMITS, answer_ms: 60_000 })
let own: LiveCertificate

beforeAll(async () => {
  const authority = await openAuthority(join(root, 'authority'))
  own = await renewCertificate(() => authority.issue({ holder: 'control plane', names: [], addresses: [], usage: 'client' }), {
    tell: (line) => expect.fail(line),
  })
})
afterAll(() => {
  own.close()
  storage.close()
  rmSync(root, { recursive: true })
})

/** As a control plane that was started so many days ago would have them. */
async function certificatesOf(daysAgo: number): Promise<ReplicaCertificates> {
  const authority = await openAuthority(join(root, 'authority'), () => Date.now() - daysAgo * DAY_MS)
  return replicaCertificates({ authority, own, storage })
}

const read = (directory: string, name: string): string => readFileSync(join(tlsDirectory(directory), name), 'utf8')

test.each([
  [19, 'stays'],
  [21, 'is replaced'],
  [31, 'is replaced'],
])('a certificate of %i days ago %s, also for a control plane that has just started', async (days, outcome) => {
  const directory = join(root, `chat.${days}`)
  const before = await certificatesOf(days)
  expect(await before.provide(directory, 'chat.1')).toBeUndefined()
  const first = read(directory, 'cert.pem')
  const now = await certificatesOf(0)
  expect(await now.renew(directory, 'chat.1')).toBeUndefined()
  const second = read(directory, 'cert.pem')
  expect(second === first ? 'stays' : 'is replaced').toBe(outcome)
  expect(pairProblem({ cert: second, key: read(directory, 'key.pem') })).toBeUndefined()
  expect(certificateFacts(second).names).toEqual([replicaTlsName('chat.1')])
  await now.renew(directory, 'chat.1')
  expect(read(directory, 'cert.pem')).toBe(second)
})

test('one that this process wrote is renewed when its time comes, without reading it again', async () => {
  const directory = join(root, 'own')
  const certificates = await certificatesOf(25)
  await certificates.provide(directory, 'chat.2')
  const first = read(directory, 'cert.pem')
  await certificates.renew(directory, 'chat.2')
  expect(read(directory, 'cert.pem')).not.toBe(first)
})

test('files of which only some were written are written again', async () => {
  const directory = join(root, 'half')
  await (await certificatesOf(25)).provide(directory, 'chat.4')
  const cert = read(directory, 'cert.pem')
  // As after a crash: the key and the authority come first.
  await (await certificatesOf(0)).provide(directory, 'chat.4')
  rmSync(join(tlsDirectory(directory), 'cert.pem'))
  writeFileSync(join(tlsDirectory(directory), 'cert.pem'), cert)
  await (await certificatesOf(0)).renew(directory, 'chat.4')
  expect(pairProblem({ cert: read(directory, 'cert.pem'), key: read(directory, 'key.pem') })).toBeUndefined()
})

test('a replica without one gets none, and what is not a certificate is replaced', async () => {
  const directory = join(root, 'none')
  const certificates = await certificatesOf(0)
  expect(await certificates.renew(directory, 'chat.3')).toBeUndefined()
  expect(() => read(directory, 'cert.pem')).toThrow('ENOENT')
  await (await certificatesOf(0)).provide(directory, 'chat.3')
  rmSync(join(tlsDirectory(directory), 'cert.pem'))
  writeFileSync(join(tlsDirectory(directory), 'cert.pem'), 'hello')
  await certificates.renew(directory, 'chat.3')
  expect(certificateFacts(read(directory, 'cert.pem')).names).toEqual([replicaTlsName('chat.3')])
})

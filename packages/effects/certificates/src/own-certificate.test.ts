// With the real other side: Python's own TLS, as the agents of a run use it.

import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeOwnCertificate } from './own-certificate.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-own-certificate-'))
afterAll(() => rmSync(directory, { recursive: true }))
const PYTHON_SDK = resolve(import.meta.dirname, '../../../../python')

const HANDSHAKE = `
import sys
from pathlib import Path
from ironlaw.agent.sealed import Sealed, link_context
one, other = (Path(each) for each in sys.argv[1:])
head, member = Sealed(link_context(one, True), True), Sealed(link_context(other, False), False)
member.write(b"hello")
got = b""
for _ in range(4):
    got += head.receive(member.take())
    member.receive(head.take())
print(got.decode())
`

function handshake(one: string, other: string): string {
  const env = { ...process.env, PYTHONPATH: PYTHON_SDK }
  return execFileSync('/usr/bin/python3', ['-c', HANDSHAKE, one, other], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

async function directoryWithCertificate(now?: number): Promise<string> {
  const made = mkdtempSync(join(directory, 'run-'))
  writeFileSync(join(made, 'link.pem'), await makeOwnCertificate('run train-1', now))
  return made
}

test('agents of one run talk to each other, those of two runs do not', async () => {
  const [one, other] = [await directoryWithCertificate(), await directoryWithCertificate()]
  expect(handshake(one, one)).toBe('hello')
  expect(() => handshake(one, other)).toThrow(/CERTIFICATE_VERIFY_FAILED|self.signed/i)
})

test('a certificate of a clock that is hours ahead works', async () => {
  const run = await directoryWithCertificate(Date.now() + 12 * 3_600_000)
  expect(handshake(run, run)).toBe('hello')
})

test('it names the run, and no host', async () => {
  const { subject, subjectAltName } = new X509Certificate(await makeOwnCertificate('run train-1'))
  expect([subject, subjectAltName]).toEqual(['O=Ironlaw\nCN=run train-1', undefined])
})

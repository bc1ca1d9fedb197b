// Signatures that somebody made to be misread. Where the statement is hostile, it is signed with the right key: the worst case.

import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SignedStatement } from '@ironlaw/contracts/model-signature'
import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { MOST_SIGNATURE_BYTES } from './read-signature.ts'
import { openBundle, signStatement } from './signature-bundle.ts'
import { scratchDirectory } from './signed-directory.fixture.ts'
import { signingKey } from './signing-keys.ts'
import { readStatement, signedStatement } from './statement.ts'
import { verifyModel } from './verify-model.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const secret = signingKey(pair.privateKey, 'test')
const open = signingKey(createPublicKey(pair.privateKey), 'test')

const sha256 = hash('sha256', 'weights')
const honest = signedStatement('model', [{ path: 'weights.bin', sha256 }])
const { resources, serialization } = honest.predicate
const [resource] = resources

/** With the digest over all that belongs to the resources, so that nothing but the resources is wrong. */
function withResources(named: readonly object[]): object {
  const digest = { sha256: hash('sha256', Buffer.from(named.map((each) => ('digest' in each ? each.digest : '')).join(''), 'hex')) }
  return { ...honest, subject: [{ name: 'model', digest }], predicate: { serialization, resources: named } }
}

const HOSTILE: readonly (readonly [string, object, RegExp])[] = [
  ['a path out of the directory', withResources([{ ...resource, name: '../weights.bin' }]), /name: expected a relative path/],
  ['an absolute path', withResources([{ ...resource, name: '/etc/passwd' }]), /expected a relative path/],
  ['a path with a detour', withResources([{ ...resource, name: 'a/../weights.bin' }]), /expected a relative path/],
  ['an empty name', withResources([{ ...resource, name: '' }]), /expected a relative path/],
  ['the same name twice', withResources([resource ?? {}, { ...resource, digest: '0'.repeat(64) }]), /two files have the same name/],
  ['no file', withResources([]), /resources/],
  ['an unknown algorithm', withResources([{ ...resource, algorithm: 'md5' }]), /algorithm: expected sha256/],
  ['a digest that is too short', withResources([{ ...resource, digest: 'ab' }]), /expected a SHA-256/],
  ['digests that do not add up', { ...honest, subject: [{ name: 'model', digest: { sha256: '0'.repeat(64) } }] }, /contradicts itself/],
  ['two subjects', { ...honest, subject: [...honest.subject, ...honest.subject] }, /subject/],
  ['files in shards', { ...honest, predicate: { resources, serialization: { ...serialization, method: 'shards' } } }, /expected files/],
  ['another predicate', { ...honest, predicateType: 'https://slsa.dev/provenance/v1' }, /predicateType: expected https/],
  ['another statement', { ...honest, _type: 'https://in-toto.io/Statement/v0.1' }, /_type: expected/],
  ['a list', [], /expected object/],
  ['lists in place of texts', { ...honest, predicate: { resources: { length: {} }, serialization } }, /resources/],
]

describe('a statement signed with the right key', () => {
  test.each(HOSTILE)('that holds %s is refused', (_, statement, says) => {
    const opened = openBundle(Buffer.from(JSON.stringify(signStatement(statement as SignedStatement, secret))), open)
    if (opened.state === 'refused') throw new Error(opened.problem)
    expect(readStatement(opened.payload)).toMatchObject({ state: 'refused', problem: expect.stringMatching(says) })
  })

  test('that ignores everything still names what is not signed or not there', async () => {
    const directory = scratchDirectory()
    const ignoring = { ...serialization, ignore_paths: ['.', './', '/', '', '..', '../..', directory] }
    writeFileSync(join(directory, 'other.bin'), '')
    const statement = { ...honest, predicate: { resources, serialization: ignoring } }
    writeFileSync(join(directory, 'model.sig'), JSON.stringify(signStatement(statement, secret)))
    expect(await verifyModel(directory, open)).toMatchObject({ problems: [{ path: 'other.bin' }, { path: 'weights.bin' }] })
  })

  test('may sign what is usually ignored, and ignores what it says', async () => {
    const directory = scratchDirectory()
    const statement = signedStatement('model', [{ path: '.github/weights.bin', sha256 }])
    const ignoring = { ...statement.predicate.serialization, ignore_paths: ['notes/'] }
    const bundle = signStatement({ ...statement, predicate: { ...statement.predicate, serialization: ignoring } }, secret)
    mkdirSync(join(directory, '.github'))
    mkdirSync(join(directory, 'notes'))
    for (const [path, content] of [
      ['.github/weights.bin', 'weights'],
      ['.github/other', ''],
      ['notes/today', ''],
      ['model.sig', JSON.stringify(bundle)],
    ] as const)
      writeFileSync(join(directory, path), content)
    expect(await verifyModel(directory, open)).toEqual({ state: 'verified', files: 1 })
    writeFileSync(join(directory, '.github/weights.bin'), 'weightz')
    expect(await verifyModel(directory, open)).toMatchObject({ problems: [{ path: '.github/weights.bin' }] })
  })
})

describe('a bundle', () => {
  const bundle = signStatement(honest, secret)
  const { dsseEnvelope } = bundle
  const opened = (value: unknown) => openBundle(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), open)

  test.each([
    ['another payload type', { ...bundle, dsseEnvelope: { ...dsseEnvelope, payloadType: 'text/plain' } }, /payloadType: expected/],
    ['another media type', { ...bundle, mediaType: 'application/json' }, /mediaType: expected/],
    ['no signature', { ...bundle, dsseEnvelope: { ...dsseEnvelope, signatures: [] } }, /one signature/],
    ['a certificate', { ...bundle, verificationMaterial: { certificate: { rawBytes: '' } } }, /not by a certificate/],
    ['an empty signature', { ...bundle, dsseEnvelope: { ...dsseEnvelope, signatures: [{ sig: '' }] } }, /not made with the key/],
    ['a payload that is no base64', { ...bundle, dsseEnvelope: { ...dsseEnvelope, payload: '%%%' } }, /not base64/],
    [
      'base64 with something behind it',
      { ...bundle, dsseEnvelope: { ...dsseEnvelope, payload: `${dsseEnvelope.payload}=!` } },
      /not base64/,
    ],
    ['nothing but a number', 7, /expected object/],
    ['nests of brackets', '['.repeat(1_000_000), /no JSON/],
    ['balanced nests', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, /expected object/],
  ])('with %s is refused', (_, value, says) => {
    expect(opened(value)).toMatchObject({ state: 'refused', problem: expect.stringMatching(says) })
  })

  test('with any byte changed is refused, or says the same', () => {
    const text = Buffer.from(JSON.stringify(bundle))
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(text)
        changed[at] = (changed[at] ?? 0) ^ by
        const result = openBundle(changed, open)
        if (result.state === 'opened') expect(readStatement(result.payload)).toEqual({ state: 'read', statement: honest })
      }),
    )
  })

  test('larger than any signature is refused without being read whole', async () => {
    const directory = scratchDirectory()
    writeFileSync(join(directory, 'model.sig'), Buffer.alloc(MOST_SIGNATURE_BYTES + 2, 0x5b))
    expect(await verifyModel(directory, open)).toMatchObject({ problems: [{ problem: expect.stringMatching(/larger than/) }] })
  })
})

import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPrivateKey, signModel } from '@ironlaw/artifacts/signing'
import { MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import { afterAll, expect, test } from 'vitest'
import { servedFile } from './engine-model.ts'

const scratch = mkdtempSync(join(tmpdir(), 'ironlaw-engine-model-'))
afterAll(() => rmSync(scratch, { recursive: true }))

function writeKeys(name: string): { readonly secret: string; readonly signedBy: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const [secret, signedBy] = [join(scratch, `${name}.pem`), join(scratch, `${name}.pub.pem`)]
  writeFileSync(secret, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(signedBy, createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }))
  return { secret, signedBy }
}

const versionOf = (weights: string): string =>
  JSON.stringify({
    apiVersion: 'ironlaw/v1',
    kind: 'ModelVersion',
    id: 'mv-0',
    name: 'tiny',
    created_at: 0,
    files: [{ path: 'model-q8_0.gguf', bytes: weights.length, sha256: hash('sha256', weights), weights: 'q8_0' }],
    lineage: {},
    evaluation: null,
  })

function writeVersion(name: string, weights = 'weights'): string {
  const directory = join(scratch, name)
  mkdirSync(directory)
  writeFileSync(join(directory, 'model-q8_0.gguf'), weights)
  writeFileSync(join(directory, MODEL_VERSION_FILE), versionOf(weights))
  return directory
}

const keys = writeKeys('site')
const signed = writeVersion('signed')
await signModel(signed, await readPrivateKey(keys.secret))

function changedCopy(name: string, files: Readonly<Record<string, string>>): string {
  const directory = join(scratch, name)
  cpSync(signed, directory, { recursive: true })
  for (const [path, content] of Object.entries(files)) writeFileSync(join(directory, path), content)
  return directory
}

test('a signed version is served', async () => {
  const { file, check } = await servedFile(signed, { signedBy: keys.signedBy })
  expect(file).toBe(join(signed, 'model-q8_0.gguf'))
  await check()
})

test('files that the engine does not open may differ', async () => {
  const directory = changedCopy('with notes', { 'notes.txt': 'added later' })
  await expect(servedFile(directory, { signedBy: keys.signedBy })).resolves.toMatchObject({ id: 'tiny' })
})

test('weights that are not those of their version are refused, signed or not', async () => {
  const directory = changedCopy('changed weights', { 'model-q8_0.gguf': 'weightz' })
  await expect((await servedFile(directory, {})).check()).rejects.toThrow(/model-q8_0\.gguf: its SHA-256/)
  await expect(servedFile(directory, { signedBy: keys.signedBy })).rejects.toThrow(/model-q8_0\.gguf: its SHA-256/)
})

test('a version that was rewritten to fit other weights is refused where a signature is required', async () => {
  const directory = changedCopy('rewritten', { 'model-q8_0.gguf': 'weightz', [MODEL_VERSION_FILE]: versionOf('weightz') })
  await (await servedFile(directory, {})).check()
  await expect(servedFile(directory, { signedBy: keys.signedBy })).rejects.toMatchObject({
    code: 'IL_SIGNATURE',
    message: expect.stringMatching(/model-version\.json is not the one that was signed/),
  })
})

test('what is not signed, or with another key, is refused', async () => {
  const unsigned = writeVersion('unsigned')
  await expect(servedFile(unsigned, { signedBy: keys.signedBy })).rejects.toThrow(/model\.sig is not there/)
  await expect(servedFile(signed, { signedBy: writeKeys('other').signedBy })).rejects.toThrow(/another key/)
  await expect(servedFile(join(signed, 'model-q8_0.gguf'), { signedBy: keys.signedBy })).rejects.toThrow(/single file/)
  await expect(servedFile(signed, { signedBy: keys.secret })).rejects.toThrow(/private key/)
})

test('weights outside of what was signed are refused', async () => {
  const directory = writeVersion('outside')
  const version = JSON.parse(versionOf('weights')) as { files: { path: string }[] }
  for (const file of version.files) file.path = '../signed/model-q8_0.gguf'
  writeFileSync(join(directory, MODEL_VERSION_FILE), JSON.stringify(version))
  await signModel(directory, await readPrivateKey(keys.secret))
  await expect(servedFile(directory, { signedBy: keys.signedBy })).rejects.toThrow(/\.\.\/signed\/model-q8_0\.gguf is not signed/)
})

test('where a version is named, only its files are served, verified before they are opened', async () => {
  const directory = writeVersion('named')
  const versionDigest = hash('sha256', versionOf('weights'))
  await expect(servedFile(directory, { versionDigest })).resolves.toMatchObject({ id: 'tiny' })
  const rewritten = writeVersion('other', 'weightz')
  await expect(servedFile(rewritten, { versionDigest })).rejects.toMatchObject({
    code: 'IL_FILE',
    message: expect.stringContaining('it is not the version that the revision names'),
    next: expect.stringContaining('ironlaw artifact restore'),
  })
  writeFileSync(join(directory, 'model-q8_0.gguf'), 'weightz')
  await expect(servedFile(directory, { versionDigest })).rejects.toThrow(/model-q8_0\.gguf: its SHA-256/)
  await expect(servedFile(join(directory, 'model-q8_0.gguf'), { versionDigest })).rejects.toThrow(/single file/)
})

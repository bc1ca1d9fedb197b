import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MODEL_CHANGES } from './model-changes.fixture.ts'
import { CURVES, scratchDirectory, writeKeys, writeModel } from './signed-directory.fixture.ts'
import { signModel } from './sign-model.ts'
import { readPrivateKey, readPublicKey } from './signing-keys.ts'
import { verifyModel } from './verify-model.ts'

const FIXTURE = join(import.meta.dirname, 'signed-model.fixture')

test.each(CURVES)('what a key of %s signs, its public key verifies', async (curve) => {
  const scratch = scratchDirectory()
  const model = writeModel(join(scratch, 'model'))
  const keys = writeKeys(scratch, curve)
  const signed = await signModel(model, await readPrivateKey(keys.secret))
  expect(signed.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.txt', 'a/b.txt', 'config.json', 'model.safetensors']))
  expect(signed.some(({ path }) => path.startsWith('.git'))).toBe(false)
  expect(await verifyModel(model, await readPublicKey(keys.open))).toEqual({ state: 'verified', files: 7 })
  // Signed again, the signature is not one of its files.
  expect(await signModel(model, await readPrivateKey(keys.secret))).toEqual(signed)
})

test.each(MODEL_CHANGES)('$name is refused, and the file is named', async ({ make, says }) => {
  const scratch = scratchDirectory()
  const model = writeModel(join(scratch, 'model'))
  const keys = writeKeys(scratch, 'P-256')
  await signModel(model, await readPrivateKey(keys.secret))
  make(model)
  const verification = await verifyModel(model, await readPublicKey(keys.open))
  const [path, problem] = says
  expect(verification).toMatchObject({
    state: 'refused',
    problems: expect.arrayContaining([{ path, problem: expect.stringMatching(problem) }]),
  })
})

test('another key is refused, of the same curve and of another', async () => {
  const scratch = scratchDirectory()
  const model = writeModel(join(scratch, 'model'))
  await signModel(model, await readPrivateKey(writeKeys(scratch, 'P-256').secret))
  for (const curve of CURVES) {
    const other = await readPublicKey(writeKeys(join(scratch, 'other'), curve).open)
    expect(await verifyModel(model, other)).toMatchObject({
      problems: [{ path: 'model.sig', problem: expect.stringMatching(/another key/) }],
    })
    const bundle = JSON.parse(readFileSync(join(model, 'model.sig'), 'utf8')) as { verificationMaterial: object }
    const hintless = join(scratch, `hintless-${curve}`)
    cpSync(model, hintless, { recursive: true })
    writeFileSync(join(hintless, 'model.sig'), JSON.stringify({ ...bundle, verificationMaterial: { publicKey: {} } }))
    expect(await verifyModel(hintless, other)).toMatchObject({ problems: [{ problem: expect.stringMatching(/not made with the key/) }] })
  }
})

test('a signature that was committed verifies, so the format has not moved', async () => {
  const key = await readPublicKey(`${FIXTURE}.pem`)
  expect(await verifyModel(FIXTURE, key)).toEqual({ state: 'verified', files: 2 })
  const bundle = JSON.parse(readFileSync(join(FIXTURE, 'model.sig'), 'utf8')) as { dsseEnvelope: { payload: string } }
  expect(JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString())).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'signed-model.fixture', digest: { sha256: '980c14f9c09343a5d290542f6a17b670f0d202f4642bba97ed6ad1de54803b7e' } }],
    predicateType: 'https://model_signing/signature/v1.0',
    predicate: {
      serialization: {
        method: 'files',
        hash_type: 'sha256',
        allow_symlinks: false,
        ignore_paths: ['model.sig', '.git', '.gitattributes', '.github', '.gitignore'],
      },
      resources: [
        { name: 'part/two.txt', algorithm: 'sha256', digest: '358134b76cde4fdaf2be29d9902796d79975e54b1aa682da651ccc5ded42805f' },
        { name: 'weights.txt', algorithm: 'sha256', digest: '00304f2fa53394c53b37f5e2df4bc07ece536c3099bdd31a2b4aa75cc90d9be5' },
      ],
    },
  })
})

test('keys that cannot sign or verify are refused with what to do', async () => {
  const scratch = scratchDirectory()
  const { secret } = writeKeys(scratch, 'P-256')
  const write = (name: string, text: string | Buffer): string => {
    writeFileSync(join(scratch, name), text)
    return join(scratch, name)
  }
  const secp = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const edwards = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
  const sealed = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  await expect(readPublicKey(secret)).rejects.toThrow(/is a private key/)
  await expect(readPrivateKey(write('k1.pem', secp))).rejects.toThrow(/secp256k1/)
  await expect(readPublicKey(write('ed.pem', edwards))).rejects.toThrow(/ed25519/)
  await expect(readPrivateKey(write('none.pem', 'no key'))).rejects.toThrow(/holds no private key/)
  await expect(readPublicKey(join(scratch, 'nowhere.pem'))).rejects.toMatchObject({ code: 'IL_FILE' })
  const encrypted = sealed.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
  await expect(readPrivateKey(write('sealed.pem', encrypted))).rejects.toThrow(/encrypted/)
})

test('what cannot be signed is refused by name', async () => {
  const scratch = scratchDirectory()
  const key = await readPrivateKey(writeKeys(scratch, 'P-256').secret)
  const model = writeModel(join(scratch, 'model'))
  execFileSync('ln', ['-s', 'config.json', join(model, 'linked.json')])
  await expect(signModel(model, key)).rejects.toThrow(/linked\.json.*symbolic link/)
  execFileSync('rm', [join(model, 'linked.json')])
  execFileSync('mkfifo', [join(model, 'pipe')])
  await expect(signModel(model, key)).rejects.toThrow(/pipe.*neither a file/)
  execFileSync('mv', [join(model, 'pipe'), scratch])
  writeFileSync(join(model, 'back\\slash'), '')
  await expect(signModel(model, key)).rejects.toThrow(/name cannot be signed/)
  mkdirSync(join(scratch, 'empty'))
  await expect(signModel(join(scratch, 'empty'), key)).rejects.toThrow(/no file to sign/)
  await expect(signModel(join(model, 'config.json'), key)).rejects.toThrow(/no directory/)
  await expect(signModel(join(scratch, 'nowhere'), key)).rejects.toMatchObject({ code: 'IL_FILE' })
})

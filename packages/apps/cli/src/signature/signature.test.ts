import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { signAnswer, verifyAnswer } from './signature.ts'

test('a signed directory verifies; once a file is changed it is named, with exit status 3', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'ironlaw-sign-'))
  onTestFinished(() => rmSync(scratch, { recursive: true }))
  const [model, secret, open] = [join(scratch, 'model'), join(scratch, 'key.pem'), join(scratch, 'key.pub.pem')]
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  writeFileSync(secret, privateKey.export({ type: 'sec1', format: 'pem' }))
  writeFileSync(open, createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }))
  mkdirSync(model)
  writeFileSync(join(model, 'weights'), 'weights')

  const signed = await signAnswer(model, secret)
  expect(signed.json).toEqual({
    signature: join(model, 'model.sig'),
    key: expect.stringMatching(/^[0-9a-f]{64}$/),
    files: [{ path: 'weights', sha256: '9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c' }],
  })
  expect(signed.notes?.join()).toMatch(/not signed.*model\.sig, \.git/)
  const verified = await verifyAnswer(model, open)
  expect(verified.exit).toBeUndefined()
  expect(verified.text()).toMatch(/1 file verified/)

  writeFileSync(join(model, 'weights'), 'weightz')
  const refused = await verifyAnswer(model, open)
  expect(refused).toMatchObject({ exit: 3, json: { state: 'refused', problems: [{ path: 'weights' }] } })
  expect(refused.violation?.problem).toMatch(/weights was changed/)
})

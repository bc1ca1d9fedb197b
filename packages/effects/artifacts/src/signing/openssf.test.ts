// Ours against OpenSSF's own library, both ways. MODEL_SIGNING_PYTHON names a Python that has it: `pip install model-signing==1.1.1 pyopenssl`.

import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SignedStatement } from '@ironlaw/contracts/model-signature'
import { expect, test } from 'vitest'
import { MODEL_CHANGES } from './model-changes.fixture.ts'
import { CURVES, scratchDirectory, writeKeys, writeModel } from './signed-directory.fixture.ts'
import { signModel } from './sign-model.ts'
import { readPrivateKey, readPublicKey } from './signing-keys.ts'
import { verifyModel } from './verify-model.ts'

const PYTHON = process.env['MODEL_SIGNING_PYTHON'] ?? ''
const options = { skip: PYTHON === '', timeout: 600_000 }
const reason = 'needs MODEL_SIGNING_PYTHON'

type LibraryRequest = { readonly do: 'sign' | 'verify'; readonly model: string; readonly key: string }

/** A problem for each request, null where there is none. */
function askLibrary(requests: readonly LibraryRequest[]): readonly (string | null)[] {
  const script = join(import.meta.dirname, 'openssf.reference.py')
  const { stdout, stderr, status } = spawnSync(PYTHON, [script], { input: JSON.stringify(requests), encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as readonly (string | null)[]
}

const copyOf = (model: string, to: string): string => {
  cpSync(model, to, { recursive: true })
  return to
}

test(`the library accepts what we sign and refuses what we refuse (${reason})`, options, async () => {
  const scratch = scratchDirectory()
  const requests: LibraryRequest[] = [
    { do: 'verify', model: join(import.meta.dirname, 'signed-model.fixture'), key: join(import.meta.dirname, 'signed-model.fixture.pem') },
  ]
  for (const curve of CURVES) {
    const model = writeModel(join(scratch, curve))
    const keys = writeKeys(scratch, curve)
    await signModel(model, await readPrivateKey(keys.secret))
    requests.push({ do: 'verify', model, key: keys.open })
  }
  const refused: LibraryRequest[] = CURVES.map((curve) => ({
    do: 'verify',
    model: join(scratch, curve),
    key: writeKeys(join(scratch, 'other'), curve).open,
  }))
  for (const { name, make } of MODEL_CHANGES) {
    const model = copyOf(join(scratch, 'P-256'), join(scratch, name))
    make(model)
    refused.push({ do: 'verify', model, key: join(scratch, 'P-256.pub.pem') })
  }
  const answers = askLibrary([...requests, ...refused])
  expect(answers.slice(0, requests.length)).toEqual(requests.map(() => null))
  for (const [index, { model }] of refused.entries()) expect(answers[requests.length + index], model).toEqual(expect.any(String))
})

test(`we accept what the library signs, and refuse it once it is changed (${reason})`, options, async () => {
  const scratch = scratchDirectory()
  const signed = CURVES.map((curve) => ({ model: writeModel(join(scratch, curve)), keys: writeKeys(scratch, curve) }))
  expect(askLibrary(signed.map(({ model, keys }) => ({ do: 'sign', model, key: keys.secret })))).toEqual([null, null, null])
  for (const { model, keys } of signed) {
    const key = await readPublicKey(keys.open)
    expect(await verifyModel(model, key)).toEqual({ state: 'verified', files: 7 })
    const other = await readPublicKey(writeKeys(join(scratch, 'other'), 'P-256').open)
    expect(await verifyModel(model, other)).toMatchObject({ state: 'refused' })
    for (const { name, make, says } of MODEL_CHANGES) {
      const changed = copyOf(model, `${model} with ${name}`)
      make(changed)
      const problem = { path: says[0], problem: expect.stringMatching(says[1]) }
      expect(await verifyModel(changed, key), name).toMatchObject({ state: 'refused', problems: expect.arrayContaining([problem]) })
    }
  }
})

test(`both order the files alike (${reason})`, options, async () => {
  const scratch = scratchDirectory()
  const [model, keys] = [writeModel(join(scratch, 'model')), writeKeys(scratch, 'P-256')]
  const theirs = copyOf(model, join(scratch, 'theirs', 'model'))
  await signModel(model, await readPrivateKey(keys.secret))
  expect(askLibrary([{ do: 'sign', model: theirs, key: keys.secret }])).toEqual([null])
  expect(statementOf(theirs)).toEqual(statementOf(model))
})

function statementOf(model: string): unknown {
  const bundle = JSON.parse(readFileSync(join(model, 'model.sig'), 'utf8')) as { dsseEnvelope: { payload: string } }
  const statement = JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString()) as SignedStatement
  // The library writes these in the order of a set.
  const ignored = statement.predicate.serialization.ignore_paths?.toSorted()
  return {
    ...statement,
    predicate: { ...statement.predicate, serialization: { ...statement.predicate.serialization, ignore_paths: ignored } },
  }
}

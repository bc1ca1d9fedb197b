import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileKey, type Keyring } from './key-wrapper.ts'
import { open, rewrap, seal } from './seal.ts'

const ring = (...keys: readonly Buffer[]): Keyring => {
  const all = keys.map(fileKey)
  const [sealing] = all
  if (!sealing) throw new Error('a keyring has a key')
  return { sealing, byId: new Map(all.map((key) => [key.id, key])) }
}

const [OLD, NEW] = [randomBytes(32), randomBytes(32)]
const KEYS = ring(OLD)
const PLACE = { project: 'search', name: 'hf-token', version: 3 }

test('any text comes back as it was, and two seals of one text differ', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (value) => {
      const one = await seal(KEYS, PLACE, value)
      const two = await seal(KEYS, PLACE, value)
      expect(await open(KEYS, { ...PLACE, ...one })).toBe(value)
      expect(two.sealed).not.toBe(one.sealed)
    }),
  )
})

test.each([
  ['another project', { project: 'ranking' }],
  ['another name', { name: 'hf' }],
  ['another version', { version: 2 }],
  ['names that run together alike', { project: 'search,hf', name: 'token' }],
])('sealed text put into the row of %s does not open', async (_, over) => {
  const sealed = await seal(KEYS, PLACE, 'planted')
  await expect(open(KEYS, { ...PLACE, ...sealed, ...over })).rejects.toThrow('not as it was sealed')
  await expect(rewrap(KEYS, { ...PLACE, ...sealed, ...over })).rejects.toThrow('not as it was sealed')
})

test('sealed text that is cut off or changed anywhere does not open', async () => {
  const { sealed, key_id } = await seal(KEYS, PLACE, 'planted')
  const refused = (text: string) => expect(open(KEYS, { ...PLACE, key_id, sealed: text })).rejects.toThrow('not as it was sealed')
  for (let length = 0; length < sealed.length; length += 1) await refused(sealed.slice(0, length))
  for (let index = 0; index < sealed.length; index += 1) {
    const other = sealed[index] === 'A' ? 'Q' : 'A'
    const changed = sealed.slice(0, index) + other + sealed.slice(index + 1)
    // The last character of base64 may carry bits that mean nothing.
    if (Buffer.from(changed.replaceAll('.', ''), 'base64url').equals(Buffer.from(sealed.replaceAll('.', ''), 'base64url'))) continue
    await refused(changed)
  }
  await refused(`${sealed}.`)
})

test('halves of two envelopes do not make one', async () => {
  const [one, two] = [await seal(KEYS, PLACE, 'first'), await seal(KEYS, PLACE, 'second')]
  const [format, wrapped] = one.sealed.split('.')
  const mixed = [format, wrapped, two.sealed.split('.')[2]].join('.')
  await expect(open(KEYS, { ...PLACE, ...one, sealed: mixed })).rejects.toThrow('not as it was sealed')
})

test('another key does not open it: by its id, and also under that id', async () => {
  const sealed = await seal(KEYS, PLACE, 'planted')
  await expect(open(ring(NEW), { ...PLACE, ...sealed })).rejects.toMatchObject({ code: 'IL_SECRETS_KEY' })
  await expect(open(ring(NEW), { ...PLACE, ...sealed })).rejects.toThrow(`sealed with key ${sealed.key_id}`)
  const disguised: Keyring = { ...ring(NEW), byId: new Map([[sealed.key_id, fileKey(NEW)]]) }
  await expect(open(disguised, { ...PLACE, ...sealed })).rejects.toThrow('not as it was sealed')
})

test('rewrapped, it opens with the new key alone, and the value was not sealed again', async () => {
  const before = await seal(KEYS, PLACE, 'planted')
  const after = await rewrap(ring(NEW, OLD), { ...PLACE, ...before })
  expect(await open(ring(NEW), { ...PLACE, ...after })).toBe('planted')
  await expect(open(ring(OLD), { ...PLACE, ...after })).rejects.toThrow('sealed with key')
  expect(after.sealed.split('.')[2]).toBe(before.sealed.split('.')[2])
})

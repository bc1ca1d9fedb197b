import { expect, test } from 'vitest'
import { sharedFor } from './shared-result.ts'

test('a hundred who ask at once share one look, and a failure is not kept', async () => {
  let looks = 0
  const look = sharedFor(60_000, async () => {
    looks += 1
    if (looks === 1) throw new Error('away')
    return looks
  })
  await expect(look()).rejects.toThrow('away')
  expect(new Set(await Promise.all(Array.from({ length: 100 }, look)))).toEqual(new Set([2]))
  expect(looks).toBe(2)
})

test('a result is made again when it is old', async () => {
  let looks = 0
  const look = sharedFor(0, async () => (looks += 1))
  expect([await look(), await look()]).toEqual([1, 2])
})

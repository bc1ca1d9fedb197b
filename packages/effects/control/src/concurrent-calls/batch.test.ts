import { expect, test } from 'vitest'
import { batchCalls } from './batch.ts'

/** Work that waits until it is released, and its input. */
function gate() {
  const given: (readonly number[])[] = []
  const open: (() => void)[] = []
  const call = batchCalls(3, async (items: readonly number[]) => {
    given.push(items)
    await new Promise<void>((resolve) => void open.push(resolve))
    if (items.includes(13)) throw new Error('unlucky')
    return items.map((item) => item * 10)
  })
  const releaseAll = async (): Promise<void> => {
    while (open.length > 0) {
      for (const each of open.splice(0)) each()
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  return { given, call, letGo: releaseAll }
}

test('the first go at once, those that come meanwhile together, none more than may', async () => {
  const { given, call, letGo } = gate()
  const answers = [1, 2, 3, 4, 5, 6].map(call)
  await letGo()
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60])
  expect(given).toEqual([[1], [2], [3, 4, 5], [6]])
  const later = call(7)
  await letGo()
  expect(await later).toBe(70)
})

test('one that cannot be answered does not fail the others', async () => {
  const { given, call, letGo } = gate()
  const answers = Promise.allSettled([1, 2, 13, 4].map(call))
  await letGo()
  expect(await answers).toEqual([
    { status: 'fulfilled', value: 10 },
    { status: 'fulfilled', value: 20 },
    { status: 'rejected', reason: new Error('unlucky') },
    { status: 'fulfilled', value: 40 },
  ])
  expect(given).toEqual([[1], [2], [13, 4], [13], [4]])
})

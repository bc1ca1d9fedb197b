import type { ObjectStorage } from '@ironlaw/artifacts'
import { expect, test } from 'vitest'
import { promptStorage } from './prompt-storage.ts'

test('a storage that hangs is away in time, then at once, and back when its calls return', async () => {
  const held: (() => void)[] = []
  const hung = {
    url: '/storage',
    has: () => new Promise<boolean>((resolve) => void held.push(() => resolve(true))),
  } as unknown as ObjectStorage
  const storage = promptStorage(hung, { answer_ms: 50, atOnce: 2 })
  const answers = await Promise.allSettled([storage.has('a'), storage.has('b'), storage.has('c')])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(held).toHaveLength(2)
  await expect(storage.has('d')).rejects.toMatchObject({ code: 'IL_UNAVAILABLE', message: expect.stringContaining('2 calls hang') })
  expect(held).toHaveLength(2)
  for (const release of held.splice(0)) release()
  await Promise.resolve()
  const back = storage.has('e')
  for (const release of held) release()
  expect(await back).toBe(true)
})

test('not more than its number of calls are under way, and each gets its turn', async () => {
  let [underWay, most] = [0, 0]
  const get = async (key: string): Promise<Buffer> => {
    most = Math.max(most, (underWay += 1))
    await new Promise(setImmediate)
    underWay -= 1
    return Buffer.from(key)
  }
  const storage = promptStorage({ url: '/storage', get } as unknown as ObjectStorage, { answer_ms: 5000, atOnce: 2 })
  const keys = Array.from({ length: 50 }, (_, index) => `k${index}`)
  expect((await Promise.all(keys.map((key) => storage.get(key)))).map(String)).toEqual(keys)
  expect(most).toBe(2)
})

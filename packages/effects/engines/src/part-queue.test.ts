import { expect, test } from 'vitest'
import { PartQueue } from './part-queue.ts'

async function read<Part>(queue: PartQueue<Part>): Promise<Part[]> {
  const parts: Part[] = []
  for await (const part of queue) parts.push(part)
  return parts
}

test('all parts arrive in order, whether they come before or after the reader', async () => {
  const queue = new PartQueue<number>()
  queue.push(1)
  const reading = read(queue)
  for (let part = 2; part < 200; part += 1) {
    queue.push(part)
    if (part % 50 === 0) await new Promise(setImmediate)
  }
  queue.end()
  expect(await reading).toEqual(Array.from({ length: 199 }, (_, index) => index + 1))
})

test('a full queue holds the writer until the reader takes, or leaves', async () => {
  const queue = new PartQueue<number>()
  while (!queue.full) queue.push(1)
  let held = true
  const waiting = queue.waitForRoom().then(() => (held = false))
  await new Promise(setImmediate)
  expect(held).toBe(true)
  for await (const _ of queue) break
  await waiting
  while (!queue.full) queue.push(1)
  await queue.waitForRoom()
})

test('a failure reaches the reader after what came before it', async () => {
  const queue = new PartQueue<number>()
  queue.push(1)
  queue.fail(new Error('broken'))
  const seen: number[] = []
  const reading = (async () => {
    for await (const part of queue) seen.push(part)
  })()
  await expect(reading).rejects.toThrow('broken')
  expect(seen).toEqual([1])
})

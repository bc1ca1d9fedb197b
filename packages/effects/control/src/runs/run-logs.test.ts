import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runLogs } from './run-logs.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ironlaw-logs-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const file = (rank: number, run = 'r') => ({ run, attempt: 1, node: 0, rank })
const part = (text: string, offset = 0) => ({ offset, bytes: Buffer.from(text) })

const stored = () => {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return { files: files.length, bytes: files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) }
}

test('the limit in bytes holds to the byte when a hundred parts come at once', async () => {
  const logs = runLogs(directory, { bytes: 500 })
  const answers = await Promise.allSettled(Array.from({ length: 100 }, (_, rank) => logs.append(file(rank), part('0123456789'))))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
  expect(stored()).toEqual({ files: 50, bytes: 500 })
})

test('the limit in files holds as well, and files that are there may still grow', async () => {
  const logs = runLogs(directory, { bytes: 1e6, files: 3 })
  const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, rank) => logs.append(file(rank), part('x'))))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  expect(await logs.append(file(0), part('y', 1))).toBe(2)
  await expect(logs.append(file(7), part('x'))).rejects.toThrow('too many log files of run r: at most 3')
  expect(await logs.append(file(7, 'another'), part('x'))).toBe(1)
  expect(stored().files).toBe(4)
})

test('after a restart the use is counted from what is there', async () => {
  const before = runLogs(directory, { bytes: 1000, files: 100 })
  for (let rank = 0; rank < 90; rank += 1) await before.append(file(rank), part('0123456789'))
  const after = runLogs(directory, { bytes: 1000, files: 100 })
  const answers = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => after.append(file(100 + index), part('0123456789'))))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  expect(stored()).toEqual({ files: 100, bytes: 1000 })
})

test('a part that comes twice at once is stored once', async () => {
  const logs = runLogs(directory, { bytes: 1000 })
  const offsets = await Promise.all([
    logs.append(file(0), part('hello')),
    logs.append(file(0), part('hello')),
    logs.append(file(0), part('lo!', 3)),
  ])
  expect(offsets).toEqual([5, 5, 6])
  expect((await logs.read(file(0), 0)).text).toBe('hello!')
})

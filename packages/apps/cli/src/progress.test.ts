import { expect, test } from 'vitest'
import { progressLine } from './progress.ts'

/** What is written when a tick comes every 50 ms for two seconds. */
function writtenLines(isTTY: boolean, seconds: number): string[] {
  const lines: string[] = []
  let time = 0
  const line = progressLine('strategies tried', { isTTY, write: (text: string | Uint8Array) => lines.push(String(text)) > 0 }, () => time)
  for (time = 0; time <= 1000 * seconds; time += 50) line.tick(10)
  line.clear()
  return lines
}

test('says nothing in the first second, then ten times a second, and leaves no trace', () => {
  expect(writtenLines(true, 0.95)).toEqual([])
  const lines = writtenLines(true, 2)
  expect(lines[0]).toBe('\r210 strategies tried, 1 s')
  expect(lines).toHaveLength(12)
  expect(lines.at(-1)).toBe('\r\u001B[K')
})

test('prints nothing if the output is not a terminal', () => expect(writtenLines(false, 2)).toEqual([]))

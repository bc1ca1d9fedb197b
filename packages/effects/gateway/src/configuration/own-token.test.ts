import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ownToken } from './own-token.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-own-token-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('a rotated token is used from the next request on; a file that is away or empty leaves the one of before, and is reported once', () => {
  const file = join(directory, 'token')
  const problems: string[] = []
  writeFileSync(file, 'il_first\n')
  const token = ownToken({ file, environment: { IRONLAW_TOKEN: 'il_other' }, tell: (line) => problems.push(line) })
  expect(token()).toBe('il_first')
  writeFileSync(file, 'il_second\n')
  expect(token()).toBe('il_second')
  rmSync(file)
  expect([token(), token()]).toEqual(['il_second', 'il_second'])
  writeFileSync(file, '\n')
  expect([token(), token()]).toEqual(['il_second', 'il_second'])
  writeFileSync(file, 'il_third')
  expect(token()).toBe('il_third')
  expect(problems).toEqual([expect.stringContaining('no such file'), expect.stringContaining('is empty')])
})

test('a file without a token is refused at the start; without a file the environment has it, or nobody', () => {
  const tell = (line: string): void => expect.fail(line)
  const file = join(directory, 'none')
  expect(() => ownToken({ file, environment: {}, tell })).toThrow(expect.objectContaining({ code: 'IL_FILE' }))
  writeFileSync(file, ' \n')
  expect(() => ownToken({ file, environment: {}, tell })).toThrow(expect.objectContaining({ code: 'IL_FILE' }))
  expect(ownToken({ file: undefined, environment: { IRONLAW_TOKEN: 'il_other' }, tell })()).toBe('il_other')
  expect(ownToken({ file: undefined, environment: {}, tell })()).toBeUndefined()
})

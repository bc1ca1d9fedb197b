import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SharedStorage, sharedStorage } from '../storage/shared-storage.ts'
import { replicaDirectory } from './replica-job.ts'
import { failureLine, replicaLogs } from './replica-logs.ts'

let runs: string
let storage: SharedStorage
beforeAll(() => {
  runs = mkdtempSync(join(tmpdir(), 'replica-logs-'))
  storage = sharedStorage(() => undefined)
})
afterAll(() => {
  storage.close()
  rmSync(runs, { recursive: true })
})

const fileOf = (replica: string, name = 'node-0.log'): string => {
  const file = join(replicaDirectory({ runs }, replica), name)
  mkdirSync(dirname(file), { recursive: true })
  return file
}

describe('the log of a replica', () => {
  const read = (replica: string, offset = 0) => replicaLogs({ runs }, storage)(replica, offset)

  test('is read from a byte on, or from its end, between characters', async () => {
    writeFileSync(fileOf('a'), 'grüße\nend\n')
    expect(await read('a')).toEqual({ text: 'grüße\nend\n', next: 12 })
    expect(await read('a', 8)).toEqual({ text: 'end\n', next: 12 })
    expect(await read('a', -4)).toEqual({ text: 'end\n', next: 12 })
    expect(await read('a', 12)).toEqual({ text: '', next: 12 })
  })

  test('is what the scheduler wrote where the program never began', async () => {
    writeFileSync(fileOf('b', 'batch.log'), 'slurmstepd: error: execve(): nope: No such file or directory\n')
    expect(await read('b')).toMatchObject({ text: expect.stringContaining('execve') })
    expect(await read('nobody')).toEqual({ text: '', next: 0 })
  })

  test('is no pipe that blocks its reader, and no link to the files of others', async () => {
    execFileSync('/usr/bin/mkfifo', [fileOf('c')])
    expect(await read('c')).toEqual({ text: '', next: 0 })
    symlinkSync('/etc/passwd', fileOf('d'))
    expect(await read('d')).toEqual({ text: '', next: 0 })
  })
})

test.each([
  ['', undefined],
  ['\n \n', undefined],
  ['starts\nready\n', 'ready'],
  [
    'Traceback (most recent call last):\n  File "a.py", line 1\nModuleNotFoundError: No module named "x"\n',
    'ModuleNotFoundError: No module named "x"',
  ],
  ['Error: cannot read m.gguf\n    at open (a.js:1:1)\n    at main (a.js:2:2)\n\nNode.js v24\n', 'Error: cannot read m.gguf'],
  ['\u001B[31mCUDA out of memory\u001B[0m\nbye\n', 'CUDA out of memory'],
  [`error ${'x'.repeat(1000)}`, `error ${'x'.repeat(294)}`],
])('the last words of %j', (text, words) => expect(failureLine(text)).toBe(words))

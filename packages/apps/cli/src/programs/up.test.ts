import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-up-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const MAIN = resolve(import.meta.dirname, '../main.ts')
const inside = (name: string): string => join(directory, name)
const flags = ['--listen', '127.0.0.1:0', ...['database', 'runs', 'logs'].flatMap((name) => [`--${name}`, inside(name)])]

const startUp = (...more: readonly string[]) =>
  spawn(process.execPath, [MAIN, 'up', ...flags, '--context', inside('context.json'), '--no-console-build', ...more], {
    // Its own process group, as a shell creates for a command.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })

test('Ctrl-C in a terminal, which reaches the whole group, lets the control plane close its database', { timeout: 120_000 }, async () => {
  for (let round = 0; round < 2; round += 1) {
    const up = startUp()
    let said = ''
    up.stdout.on('data', (data: Buffer) => (said += data.toString('utf8')))
    const ended = once(up, 'exit')
    while (!said.includes('listening on') && up.exitCode === null) await Promise.race([once(up.stdout, 'data'), ended])
    process.kill(-(up.pid ?? 0), 'SIGINT')
    expect(await ended).toEqual([0, null])
  }
})

test.each([
  ['--nodes', 'four'],
  ['--nodes', '0'],
  ['--slots', '1.5'],
])('%s %s is refused with what was expected', { timeout: 60_000 }, async (flag, value) => {
  const up = startUp(flag, value)
  let said = ''
  up.stderr.on('data', (data: Buffer) => (said += data.toString('utf8')))
  const [code] = await once(up, 'exit')
  expect(code).toBe(1)
  expect(said).toContain(`${flag} ${value}: expected a whole number from 1 to`)
})

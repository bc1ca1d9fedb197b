// The gateway's command line, as the command and as the process behind it.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { serveCommands } from '../../../packages/apps/cli/src/serve/commands.ts'
import { FLAGS, flagProblems } from '../../../packages/effects/gateway/src/flags.ts'

const GATEWAY = resolve(import.meta.dirname, '../../../packages/effects/gateway/src/main.ts')

test('the command takes every flag of the process', () => {
  const command = serveCommands().find((each) => each.name() === 'gateway')
  const taken = new Set(command?.options.map((option) => option.long))
  expect(taken).toEqual(new Set(Object.keys(FLAGS).map((name) => (name === 'snapshot' ? '--config' : `--${name}`))))
})

test('numbers that are none, or out of range, are named', () => {
  expect(flagProblems({ port: '0', 'admin-port': '8081', 'drain-s': '0.5', 'held-mib': '64', 'max-connections': '10' })).toEqual([])
  for (const text of ['lots', '', '-1', 'NaN'])
    for (const name of ['port', 'admin-port', 'drain-s', 'max-snapshot-age-s', 'max-connections', 'held-mib'] as const)
      expect(flagProblems({ [name]: text })).toEqual([expect.stringContaining(`--${name} ${text}: expected a`)])
  expect(flagProblems({ port: '65536', 'max-connections': '1.5' })).toHaveLength(2)
})

test('the process says so and exits as commands do that were used wrongly', () => {
  const { status, stderr } = spawnSync(process.execPath, [GATEWAY, '--held-mib', 'lots'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('--held-mib lots: expected a number of at least 1')])
}, 30_000)

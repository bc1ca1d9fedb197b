// The command lines of programs, as the command and as the process behind it.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { type Flag, readFlags } from '@ironlaw/contracts/program-flags'
import { ENGINE_FLAGS, EXPORT_FLAGS, GATEWAY_FLAGS, SERVER_FLAGS } from '@ironlaw/contracts/programs'
import { expect, test } from 'vitest'
import { program } from 'ironlaw/program'
import { flagArguments } from '../../../packages/apps/cli/src/programs/program-flags.ts'

const GATEWAY = resolve(import.meta.dirname, '../../../packages/effects/gateway/src/main.ts')

const readGatewayFlags = (values: Readonly<Record<string, string>>) =>
  readFlags(GATEWAY_FLAGS, { command: 'gateway', values, environment: {} })

test('the command takes every flag of every program, and hands on what was given', () => {
  const { commands } = program()
  for (const [name, table] of Object.entries({ gateway: GATEWAY_FLAGS, engine: ENGINE_FLAGS, export: EXPORT_FLAGS, up: SERVER_FLAGS })) {
    const command = commands.find((each) => each.name() === name)?.action(() => undefined)
    const argv = Object.entries<Flag>(table).flatMap(([flag, { value }]) => [`--${flag}`, ...(value === undefined ? [] : ['given'])])
    command?.parse(name === 'export' ? [...argv, 'source'] : argv, { from: 'user' })
    expect(flagArguments(table, command?.opts() ?? {})).toEqual(argv)
  }
})

test('numbers that are none, or out of range, are named', () => {
  const right = { port: '0', 'admin-port': '8081', 'drain-s': '0.5', 'held-mib': '64', 'max-connections': '10' }
  expect(readGatewayFlags(right)).toMatchObject({ port: 0, 'drain-s': 0.5, host: '127.0.0.1' })
  for (const text of ['lots', '', '-1', 'NaN'])
    for (const name of ['port', 'admin-port', 'drain-s', 'max-snapshot-age-s', 'max-connections', 'held-mib'])
      expect(() => readGatewayFlags({ [name]: text })).toThrow(`--${name} ${text}: expected a`)
  expect(() => readGatewayFlags({ port: '65536', 'max-connections': '1.5' })).toThrow(/--port 65536.*--max-connections 1.5/)
})

test('the process says so and exits as commands do that were used wrongly', () => {
  const { status, stderr } = spawnSync(process.execPath, [GATEWAY, '--held-mib', 'lots'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('--held-mib lots: expected a number of at least 1')])
}, 30_000)

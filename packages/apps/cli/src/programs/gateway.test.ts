import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-gateway-'))
const started: ChildProcessWithoutNullStreams[] = []
afterAll(() => {
  // Forwarded to the program that the command has started; a killed command would leave it behind.
  for (const program of started) program.kill('SIGTERM')
  rmSync(directory, { recursive: true, force: true })
})

const MAIN = resolve(import.meta.dirname, '../main.ts')
const inside = (name: string): string => join(directory, name)

function startCommand(...argv: readonly string[]) {
  const program = spawn(process.execPath, [MAIN, ...argv], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory, IRONLAW_CONTEXT: inside('context.json') },
  })
  started.push(program)
  let said = ''
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (data: Buffer) => (said += data.toString('utf8')))
  const ended = once(program, 'exit')
  const wait = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(said)
      if (found) return found[1] ?? ''
      if (program.exitCode !== null || program.signalCode !== null) throw new Error(said)
      await Promise.race([once(program.stdout, 'data'), once(program.stderr, 'data'), ended])
    }
  }
  const end = async (): Promise<readonly unknown[]> => {
    program.kill('SIGTERM')
    return await ended
  }
  return { wait, end, said: () => said }
}

test('a gateway whose control plane stopped first ends as usual and names its token', { timeout: 120_000 }, async () => {
  const folders = ['database', 'runs', 'logs'].flatMap((name) => [`--${name}`, inside(name)])
  const up = startCommand('up', '--listen', '127.0.0.1:0', ...folders, '--context', inside('context.json'), '--no-console-build')
  const control = await up.wait(/listening on (\S+)/)
  const ports = ['--port', '0', '--admin-port', '0']
  const gateway = startCommand('gateway', '--control', control, '--id', 'edge', ...ports, '--state', inside('state'))
  await gateway.wait(/(gateway at)/)
  await up.end()
  expect(await gateway.end()).toEqual([0, null])
  expect(gateway.said()).toMatch(/the gateway's token is still valid: revoke it with "ironlaw token revoke edge-\w+"/)
})

// A real control plane in a process of its own, with nodes of the local executor.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '../packages/apps/server/src/main.ts')

export type ControlPlane = { readonly api: string; readonly token: string; readonly close: () => Promise<void> }

type PlaneOptions = {
  readonly nodes: number
  readonly slots: number
  /** One inside it when absent. */
  readonly database?: string | undefined
  /** Any that is free when absent. */
  readonly port?: number
}

export async function startControlPlane({ nodes, slots, database, port = 0 }: PlaneOptions): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-plane-'))
  const at = (name: string): string => join(folder, name)
  const argv = ['--database', database ?? at('database'), '--runs', at('runs'), '--logs', at('logs'), '--context', at('context.json')]
  const server = spawn(
    process.execPath,
    [MAIN, ...argv, '--listen', `127.0.0.1:${port}`, '--nodes', String(nodes), '--slots', String(slots)],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  await waitUntilListening(server)
  const context: { readonly api: string; readonly token: string } = JSON.parse(readFileSync(at('context.json'), 'utf8'))
  return {
    ...context,
    close: async () => {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function waitUntilListening(server: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('exit', (code) => reject(new Error(`the control plane ended with ${code}`)))
  server.stdout?.on('data', (text: Buffer) => {
    if (String(text).includes('listening on')) resolve()
  })
  return promise
}

// A real control plane with one run: PGlite, the local executor, and a program of two ranks that reports through the SDK.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'

const MAIN = join(import.meta.dirname, '../../packages/apps/server/src/main.ts')

export type ControlPlane = { readonly api: string; readonly token: string; readonly close: () => void }

export async function startControlPlane(): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-runs-'))
  const at = (name: string): string => join(folder, name)
  const argv = ['--database', at('database'), '--runs', at('runs'), '--logs', at('logs'), '--context', at('context.json')]
  const listen = ['--listen', `127.0.0.1:${await sparePort()}`]
  const server = spawn(process.execPath, [MAIN, ...argv, ...listen, '--nodes', '1', '--slots', '2'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await listening(server)
  const context: { readonly api: string; readonly token: string } = JSON.parse(readFileSync(at('context.json'), 'utf8'))
  await createRun(context)
  return {
    ...context,
    close: () => {
      server.kill('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function listening(server: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('exit', (code) => reject(new Error(`the control plane ended with ${code}`)))
  server.stdout?.on('data', (text: Buffer) => {
    if (String(text).includes('listening on')) resolve()
  })
  return promise
}

export async function sparePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probe = createServer()
  probe.once('error', () => resolve(false))
  probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  return (await promise) ? port : sparePort()
}

async function createRun(context: { readonly api: string; readonly token: string }): Promise<void> {
  const plan = sampleTrainingPlan({ prediction: { step_s: 0.06, step_low_s: 0.05, step_high_s: 0.08 } })
  const answer = await fetch(`${context.api}/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${context.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'tiny',
      plan,
      program: { argv: ['steps.py'], directory: import.meta.dirname },
      shape: { nodes: 1, processesPerNode: 2 },
    }),
  })
  if (answer.status !== 201) throw new Error(await answer.text())
}

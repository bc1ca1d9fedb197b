// A Slurm cluster, PostgreSQL, a control plane and a gateway that follows it, as processes of this machine; and what an engine of the
// deployment answers to a known prompt.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sparePorts } from '../../../tools/testbed/ports.ts'
import { startTestbed, type Testbed } from '../../../tools/testbed/testbed.ts'
import { ControlPlane } from '../training/control-plane.ts'
import { PlaneApi } from './plane-api.ts'

const ROOT = join(import.meta.dirname, '../../..')
const ENGINE = join(import.meta.dirname, 'engine-program.ts')
const CONFIG = join(ROOT, 'examples/reference-trainer/tiny.config.json')
export const KEY = 'sk-e2e'
export const PROMPT = 'The quick brown fox'
/** After which an engine that has not begun to answer counts as failing. */
const FIRST_BYTE_S = 5
/** Four for the deployment and its canary, two spare. */
const NODES = 6

export type ServingBed = {
  readonly testbed: Testbed
  readonly plane: ControlPlane
  readonly api: PlaneApi
  readonly gatewayUrl: string
  readonly revision: (environment: Readonly<Record<string, string>>) => Parameters<PlaneApi['revise']>[1]
  /** What a right engine answers to the prompt. */
  readonly known: string
  readonly gatewayOutput: () => string
  readonly stop: () => Promise<void>
}

export async function startServingBed(engine: 'llamacpp' | 'simulated'): Promise<ServingBed> {
  const testbed = await startTestbed({ nodes: NODES })
  const port = await sparePorts(3)
  const plane = new ControlPlane(testbed, port)
  await plane.start()
  const api = new PlaneApi(plane.context)
  const tenants = { one: {} }
  const keys = [{ sha256: hash('sha256', KEY), tenant: 'one', log: 'none' }]
  await api.ask('/v1/gateway-config', 'PUT', { tenants, keys, models: { chat: { first_byte_s: FIRST_BYTE_S } } })
  const model = engine === 'llamacpp' ? { E2E_GGUF: exportTestModel(testbed.dir) } : {}
  const gateway = startGateway(api, { port: port + 1, state: join(testbed.dir, 'gateway') })
  const stop = async (): Promise<void> => {
    gateway.process.kill('SIGKILL')
    await plane.kill('SIGTERM')
    await testbed.stop()
  }
  return {
    testbed,
    plane,
    api,
    gatewayUrl: `http://127.0.0.1:${port + 1}`,
    revision: (environment) => ({
      model: 'm',
      argv: [process.execPath, ENGINE],
      directory: ROOT,
      environment: { ...model, ...environment },
      processes: 2,
      max_running: 8,
    }),
    known: await fetchAnswer(join(testbed.dir, 'known'), model),
    gatewayOutput: gateway.output,
    stop,
  }
}

/** A small model with weights drawn by a seed. */
function exportTestModel(directory: string): string {
  const to = join(directory, 'model')
  const argv = [
    join(ROOT, 'packages/apps/cli/src/main.ts'),
    'export',
    CONFIG,
    '--seeded',
    '1',
    '--to',
    to,
    '--name',
    'tiny',
    '--format',
    'gguf',
  ]
  execFileSync(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
  return join(to, 'model-f32.gguf')
}

type StartedGateway = { readonly process: ChildProcess; readonly output: () => string }

function startGateway(api: PlaneApi, { port, state }: { readonly port: number; readonly state: string }): StartedGateway {
  mkdirSync(state)
  const { api: control, token } = api.context
  const flags = ['--control', control, '--id', 'g1', '--state', state, '--port', String(port), '--admin-port', String(port + 1)]
  const child = spawn(process.execPath, [join(ROOT, 'packages/effects/gateway/src/main.ts'), ...flags], {
    env: { ...process.env, IRONLAW_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
  return { process: child, output: () => output }
}

async function fetchAnswer(directory: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const file = join(directory, 'endpoint')
  const engine = spawn(process.execPath, [ENGINE], {
    env: { ...process.env, ...environment, IRONLAW_ENDPOINT_FILE: file },
    stdio: 'inherit',
  })
  while (!existsSync(file)) await pause(50)
  const body = JSON.stringify({ model: 'm', prompt: PROMPT, max_tokens: 8, temperature: 0 })
  const url = `${readFileSync(file, 'utf8').trim()}/v1/completions`
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { choices }: { choices: readonly { readonly text: string }[] } = JSON.parse(await answer.text())
  engine.kill('SIGTERM')
  await once(engine, 'exit')
  return choices[0]?.text ?? ''
}

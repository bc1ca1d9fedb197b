// An `ironlaw engine` process under measurement: its address, and how long each phase of its start took.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { IronlawError } from '@ironlaw/contracts'
import { freePort } from './local-job.ts'

export type EngineSetting = {
  readonly model: string
  readonly id: string
  readonly slots: number
  readonly threads: number
  readonly context: number
}

/** Seconds until the program runs, until its model is loaded, and until it has answered its first prompt. */
export type EngineStart = { readonly process_s: number; readonly load_s: number; readonly warm_s: number }

export type EngineProcess = { readonly url: string; readonly start: EngineStart; readonly stop: () => Promise<void> }

const PROGRAM = '@ironlaw/server/engine'
const POLL_MS = 4
const GIVE_UP_S = 300

/** Without a model the program exits after reading its flags, so this time does not depend on any model. */
async function measureProcessStart_s(): Promise<number> {
  const began = performance.now()
  await once(spawn(process.execPath, [fileURLToPath(import.meta.resolve(PROGRAM))], { stdio: 'ignore' }), 'exit')
  return (performance.now() - began) / 1000
}

export async function startEngine({ model, id, slots, threads, context }: EngineSetting): Promise<EngineProcess> {
  const process_s = await measureProcessStart_s()
  const url = `http://127.0.0.1:${await freePort()}`
  const flags = { model, id, slots, threads, context, port: new URL(url).port }
  const argv = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
  const began = performance.now()
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve(PROGRAM)), ...argv, '--no-embeddings', '--drain-s', '0'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const waitUntilReady_s = async (path: string): Promise<number> => {
    for (; (await fetchStatus(url + path)) !== 200; await pause(POLL_MS))
      if (child.exitCode !== null || performance.now() - began > 1000 * GIVE_UP_S)
        throw new IronlawError('IL_FILE', { path: model, reason: 'the engine did not start with this model' })
    return (performance.now() - began) / 1000
  }
  const loaded_s = await waitUntilReady_s('/health')
  const ready_s = await waitUntilReady_s('/ready')
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { url, start: { process_s, load_s: Math.max(0, loaded_s - process_s), warm_s: ready_s - loaded_s }, stop }
}

/** 0 while no process listens. */
function fetchStatus(url: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  get(url, (answer) => resolve(answer.resume().statusCode ?? 0)).on('error', () => resolve(0))
  return promise
}

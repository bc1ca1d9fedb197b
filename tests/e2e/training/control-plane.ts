// A control plane as a process on a testbed, killed and started again at will, and its API as an administrator sees it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AttemptView, AuditVerdict, CheckpointView, EventView, RunView, StepView } from '@ironlaw/contracts/api'
import type { Testbed } from '../../../tools/testbed/testbed.ts'

const ROOT = join(import.meta.dirname, '../../..')
const START_MS = 60_000

export class ControlPlane {
  readonly #testbed: Testbed
  readonly #port: number
  #process: ChildProcess | undefined
  #output = ''

  constructor(testbed: Testbed, port: number) {
    this.#testbed = testbed
    this.#port = port
  }

  get context(): string {
    return join(this.#testbed.dir, 'context.json')
  }

  get runs(): string {
    return join(this.#testbed.dir, 'runs')
  }

  async start(): Promise<void> {
    const inside = (name: string): string => join(this.#testbed.dir, name)
    const flags = ['--database', this.#testbed.pgUrl, '--executor', 'slurm', '--listen', `127.0.0.1:${this.#port}`, '--runs', this.runs]
    const argv = [join(ROOT, 'packages/apps/server/src/main.ts'), ...flags, '--logs', inside('logs'), '--context', this.context]
    this.#process = spawn(process.execPath, argv, { env: { ...process.env, ...this.#testbed.env }, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#output = ''
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += String(chunk)))
    for (const deadline = Date.now() + START_MS; !this.#output.includes('listening on'); await pause(20))
      if (Date.now() > deadline || this.#process.exitCode !== null) throw new Error(`the control plane did not start: ${this.#output}`)
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    if (!this.#process || this.#process.exitCode !== null || this.#process.signalCode !== null) return
    this.#process.kill(signal)
    await once(this.#process, 'exit')
  }

  /** What it printed since it was started last. */
  get output(): string {
    return this.#output
  }

  async ask<T>(path: string, method: 'GET' | 'POST' = 'GET'): Promise<T> {
    const { api, token }: { api: string; token: string } = JSON.parse(readFileSync(this.context, 'utf8'))
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${api}${path}`, { method, headers, signal: AbortSignal.timeout(10_000) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<T>
  }

  post = (path: string): Promise<unknown> => this.ask(path, 'POST')

  run = (id: string): Promise<RunView> => this.ask(`/v1/runs/${id}`)
  attempts = (id: string): Promise<AttemptView[]> => this.#all(`/v1/runs/${id}/attempts`)
  checkpoints = (id: string): Promise<CheckpointView[]> => this.#all(`/v1/runs/${id}/checkpoints`)
  events = (id: string): Promise<EventView[]> => this.#all(`/v1/runs/${id}/events`)
  steps = (id: string): Promise<StepView[]> => this.#all(`/v1/runs/${id}/steps`, 'after')
  /** Every stream of events; a page may end early, so only the cursor says that there are no more. */
  audit = (): Promise<AuditVerdict[]> => this.#all('/v1/audit')

  async #all<T>(path: string, place: 'cursor' | 'after' = 'cursor'): Promise<T[]> {
    const items: T[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const found: { items: T[]; next: string | null } = await this.ask(
        `${path}?limit=1000${cursor && `&${place}=${encodeURIComponent(cursor)}`}`,
      )
      items.push(...found.items)
      cursor = found.next
    }
    return items
  }
}

// A control plane with one node of this machine, in a directory of its own, and the command line as a person beside it has it.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sparePorts } from '../../../tools/testbed/ports.ts'

const ROOT = join(import.meta.dirname, '../../..')
const START_MS = 60_000

export class LocalPlane {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'ironlaw-calibration-'))
  #process: ChildProcess | undefined

  async start(slots: number, python?: string): Promise<void> {
    const inside = (name: string): string => join(this.directory, name)
    const listen = `127.0.0.1:${await sparePorts(1)}`
    const flags = ['--executor', 'local', '--nodes', '1', '--slots', String(slots), '--listen', listen, '--database', inside('database')]
    const kept = ['--runs', inside('runs'), '--logs', inside('logs'), '--context', inside('context.json')]
    const runs = python === undefined ? [] : ['--python', python]
    const server = spawn(process.execPath, [join(ROOT, 'packages/apps/server/src/main.ts'), ...flags, ...kept, ...runs], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#process = server
    let output = ''
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
    for (const deadline = Date.now() + START_MS; !output.includes('listening on'); await pause(50))
      if (Date.now() > deadline || server.exitCode !== null) throw new Error(`the control plane did not start: ${output}`)
  }

  async stop(): Promise<void> {
    if (this.#process?.exitCode === null) {
      this.#process.kill('SIGTERM')
      await once(this.#process, 'exit')
    }
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** Throws with what it said when the command fails. */
  async ironlaw(...argv: readonly string[]): Promise<string> {
    const main = join(ROOT, 'packages/apps/cli/src/main.ts')
    const environment = { IRONLAW_CONTEXT: join(this.directory, 'context.json'), IRONLAW_MEASURED: join(this.directory, 'measured') }
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...argv], {
      env: { ...process.env, ...environment },
      maxBuffer: 2 ** 26,
    })
    return stdout
  }

  async ask<T>(path: string): Promise<T> {
    const { api, token }: { api: string; token: string } = JSON.parse(readFileSync(join(this.directory, 'context.json'), 'utf8'))
    const answer = await fetch(`${api}${path}`, { headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(20_000) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<T>
  }
}

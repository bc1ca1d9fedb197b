// A person's terminal in a clone: a home of its own, the examples as they are committed, `npx ironlaw` from this source. Ports are spare ones instead
// of the usual, and what a page writes of them is read accordingly.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sparePorts } from '../../../tools/testbed/ports.ts'
import { stopAll } from '../../mistakes/files.ts'
import { matches, type ShownCommand } from './readme.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CLI = join(ROOT, 'packages/apps/cli/src/main.ts')
/** Many times what the slowest command takes on a free machine of two cores. */
const LONGEST_MS = 600_000
/** A load test ends so where others use the machine too; what it prints is shown all the same. */
const TOO_NOISY = 3
/** Made at a first try by people and by nobody here. */
const NOT_COPIED = /\/(?:model|models|trained|venv|__pycache__)$/

type Ports = Readonly<Record<'api' | 'gateway' | 'admin', number>>

export type Outcome = { readonly exit: number | null; readonly output: string }

export class Shell {
  readonly home: string = mkdtempSync(join(tmpdir(), 'ironlaw-shell-'))
  readonly folder: string = join(this.home, 'ironlaw')
  readonly #environment: Record<string, string>
  readonly #ports: Ports
  readonly #started: ChildProcess[] = []

  static async open(): Promise<Shell> {
    const first = await sparePorts(3)
    return new Shell({ api: first, gateway: first + 1, admin: first + 2 })
  }

  private constructor(ports: Ports) {
    this.#ports = ports
    const programs = join(this.home, 'bin')
    for (const directory of [this.folder, programs]) mkdirSync(directory)
    cpSync(join(ROOT, 'examples'), join(this.folder, 'examples'), { recursive: true, filter: (path) => !NOT_COPIED.test(path) })
    writeFileSync(join(programs, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${CLI}" "$@"\n`)
    chmodSync(join(programs, 'npx'), 0o755)
    this.#environment = {
      HOME: this.home,
      PATH: `${programs}:/usr/bin:/bin`,
      NO_COLOR: '1',
      COLUMNS: '200',
      IRONLAW_GATEWAY: `http://127.0.0.1:${ports.gateway}`,
    }
  }

  /** A virtual environment of this machine where an example expects its own. */
  lend(environment: string, at: string): void {
    if (existsSync(environment)) symlinkSync(environment, join(this.folder, at))
  }

  /** Throws unless the command ends well (or, with "&", goes on) and prints what is shown. */
  async run({ command, prints }: ShownCommand): Promise<void> {
    const [, variable] = /^export (\w+)=/.exec(command) ?? []
    const isKept = command.endsWith(' &')
    const kept = join(this.home, 'exported')
    const child = this.#spawnCommand(
      isKept ? `exec env ${command.slice(0, -2)}` : variable === undefined ? command : `${command} && printf %s "$${variable}" > ${kept}`,
    )
    const expected = prints.map((line) => this.#translatePorts(line))
    const output = await outputOf(child, isKept ? (text) => matches(expected, text) : () => false)
    if (isKept && child.exitCode === null) return
    if (child.exitCode !== 0 && !(child.exitCode === TOO_NOISY && /\bironlaw bench\b/.test(command)))
      throw new Error(`$ ${command}\nended with ${child.exitCode ?? child.signalCode}:\n${output}`)
    if (!matches(expected, output)) throw new Error(`$ ${command}\nshould print\n${expected.join('\n')}\nand printed\n${output}`)
    if (variable !== undefined) this.#environment[variable] = readFileSync(kept, 'utf8')
  }

  /** What a command prints on both streams, and how it ends. */
  async tryCommand(command: string): Promise<Outcome> {
    const child = this.#spawnCommand(command)
    const output = await outputOf(child, () => false)
    return { exit: child.exitCode, output }
  }

  #spawnCommand(command: string): ChildProcess {
    const child = spawn('bash', ['-c', this.#translatePorts(command)], {
      cwd: this.folder,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#started.push(child)
    return child
  }

  #translatePorts(text: string): string {
    const { api, gateway, admin } = this.#ports
    return text
      .replace(/\bnpx ironlaw up\b/, `$& --listen 127.0.0.1:${api}`)
      .replace(/\bnpx ironlaw gateway\b/, `$& --port ${gateway} --admin-port ${admin}`)
      .replaceAll('127.0.0.1:7600', `127.0.0.1:${api}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${gateway}`)
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${admin}`)
  }

  close(): Promise<void> {
    return stopAll(this, this.#started)
  }
}

/** Until the process has ended, or what it printed is enough. */
async function outputOf(child: ChildProcess, isEnough: (output: string) => boolean): Promise<string> {
  let output = ''
  const enough = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += String(chunk)
      if (isEnough(output)) enough.resolve()
    })
  const timer = setTimeout(() => child.kill('SIGTERM'), LONGEST_MS)
  await Promise.race([once(child, 'close'), enough.promise])
  clearTimeout(timer)
  return output
}

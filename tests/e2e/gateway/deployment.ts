// A deployment of real processes: an exported model, engines, gateways and PostgreSQL, started by the commands that people type.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Pool } from 'pg'
import { makePostgres, postgresUrl, startPostgres, stopPostgres } from '../../../tools/testbed/postgres.ts'
import { sparePorts } from '../../../tools/testbed/ports.ts'
import { KEY, OTHER_KEY, sha256 } from '../../../packages/effects/gateway/test/setting.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CLI = join(ROOT, 'packages/apps/cli/src/main.ts')
const CONFIG = join(ROOT, 'examples/reference-trainer/tiny.config.json')
const ENGINES = 3
const GATEWAYS = 2
const READY_WITHIN_MS = 120_000

/** In billionths of a dollar; a token of an answer costs twice one of a prompt. */
export const PRICE_NUSD = { prompt: 1000, completion: 2000 }
export const MODEL = 'tiny'

export type Part = { readonly url: string; readonly health: string; process: ChildProcess; readonly start: () => ChildProcess }

export class Deployment {
  readonly directory = mkdtempSync(join(tmpdir(), 'ironlaw-e2e-gateway-'))
  readonly engines: Part[] = []
  readonly gateways: Part[] = []
  #port = 0

  get #database() {
    return { dir: this.directory, nodes: [], port: this.#port, rest: false, owner: null }
  }

  get databaseUrl(): string {
    return postgresUrl(this.#database)
  }

  startDatabase = (): Promise<void> => startPostgres(this.#database)
  stopDatabase = (): Promise<void> => stopPostgres(this.#database)

  async start(): Promise<void> {
    chmodSync(this.directory, 0o755)
    this.#port = await sparePorts(1 + ENGINES + 2 * GATEWAYS)
    await makePostgres(this.#database)
    const model = join(this.directory, 'model')
    this.#ironlaw('export', [CONFIG, '--seeded', '1', '--to', model, '--name', MODEL, '--quantise', 'q8_0'])
    for (let index = 0; index < ENGINES; index += 1) {
      const port = this.#port + 1 + index
      const flags = ['--model', model, '--port', port, '--threads', 1, '--slots', 8, '--queue', 64, '--drain-s', 5]
      this.engines.push(this.#part(`engine-${index}`, ['engine', ...flags], { port, ready: `http://127.0.0.1:${port}/ready` }))
    }
    const snapshot = join(this.directory, 'gateway.json')
    writeFileSync(snapshot, JSON.stringify(this.#snapshot()))
    for (let index = 0; index < GATEWAYS; index += 1) {
      const port = this.#port + 1 + ENGINES + 2 * index
      const state = join(this.directory, `gateway-${index}`)
      mkdirSync(state)
      const flags = ['--config', snapshot, '--state', state, '--port', port, '--admin-port', port + 1, '--database', this.databaseUrl]
      const ready = `http://127.0.0.1:${port + 1}/health/ready`
      this.gateways.push(this.#part(`gateway-${index}`, ['gateway', ...flags, '--drain-s', 5], { port, ready }))
    }
    await Promise.all([...this.engines, ...this.gateways].map(({ health }) => answers(health)))
    await this.#openBudget()
  }

  /** Gateways serve before their tables are made, so the first look may come too early. */
  async #openBudget(): Promise<void> {
    const pool = new Pool({ connectionString: this.databaseUrl, max: 1 })
    const opened = (): Promise<boolean> =>
      pool.query("insert into gateway_budgets (name, limit_nusd) values ('one', 1000000000000)").then(
        () => true,
        () => false,
      )
    for (let look = 0; !(await opened()); look += 1) {
      if (look === 100) throw new Error('the tables of the budgets were not made')
      await new Promise((done) => setTimeout(done, 100))
    }
    await pool.end()
  }

  async restart(part: Part): Promise<void> {
    part.process = part.start()
    await answers(part.health)
  }

  async stop(part: Part, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const ended = new Promise((done) => part.process.once('exit', done))
    if (part.process.exitCode !== null || part.process.signalCode !== null) return
    if (signal === 'SIGTERM') part.process.kill(signal)
    // The command forwards every signal but this one: its program is killed, and the command ends with it.
    else for (const pid of childrenOf(part.process)) process.kill(pid, signal)
    await ended
  }

  async end(): Promise<void> {
    for (const part of [...this.gateways, ...this.engines]) await this.stop(part, 'SIGKILL')
    await this.stopDatabase()
    rmSync(this.directory, { recursive: true, force: true })
  }

  log(name: string): string {
    return readFileSync(join(this.directory, `${name}.log`), 'utf8')
  }

  #ironlaw(command: string, flags: readonly string[]): void {
    execFileSync(process.execPath, [CLI, command, ...flags], { stdio: 'inherit' })
  }

  #part(name: string, argv: readonly (string | number)[], { port, ready }: { readonly port: number; readonly ready: string }): Part {
    const start = (): ChildProcess => {
      const log = openSync(join(this.directory, `${name}.log`), 'a')
      const started = spawn(process.execPath, [CLI, ...argv.map(String)], { stdio: ['ignore', log, log] })
      closeSync(log)
      return started
    }
    return { url: `http://127.0.0.1:${port}`, health: ready, process: start(), start }
  }

  #snapshot(): object {
    const replicas = this.engines.map(({ url }, index) => ({ id: `engine-${index}`, url, max_running: 8 }))
    return {
      version: 1,
      pools: { main: { replicas, kv_tokens: 1000 } },
      models: {
        [MODEL]: {
          targets: [{ pool: 'main' }],
          context_tokens: 127,
          max_output_tokens: 100,
          input_usd_per_million: PRICE_NUSD.prompt / 1000,
          output_usd_per_million: PRICE_NUSD.completion / 1000,
          first_byte_s: 20,
          deadline_s: 40,
        },
      },
      tenants: { one: { budget: 'one' }, two: { requests_per_minute: 60 } },
      keys: [
        { sha256: sha256(KEY), tenant: 'one' },
        { sha256: sha256(OTHER_KEY), tenant: 'two' },
      ],
    }
  }
}

/** Until it says that it is ready. */
const childrenOf = ({ pid }: ChildProcess): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

async function answers(url: string): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS
  while (performance.now() < until) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`${url} was not ready within ${READY_WITHIN_MS / 1000} s`)
}

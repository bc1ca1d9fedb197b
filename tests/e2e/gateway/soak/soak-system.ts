// What the soak runs on: PostgreSQL, three engine stubs and two gateways, each a process that can be killed, stopped and started again.

import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Pool } from 'pg'
import { sparePorts } from '../../../../tools/testbed/ports.ts'
import { makePostgres, postgresUrl, startPostgres, stopPostgres } from '../../../../tools/testbed/postgres.ts'
import { rss_bytes } from '../proxies.ts'
import { KEY, OTHER_KEY, sha256 } from '../../../../packages/effects/gateway/test/setting.ts'
import type { Target } from './soak-load.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const ENGINES = 3
export const ABUSIVE_KEY = 'sk-soak-abusive'

export type Part = Target & {
  readonly name: string
  process: ChildProcess
  up: boolean
  output: string
  readonly start: () => Promise<void>
}

export class SoakSystem {
  readonly directory = mkdtempSync(join(tmpdir(), 'ironlaw-soak-'))
  readonly engines: Part[] = []
  readonly gateways: Part[] = []
  #port = 0
  #version = 0
  #pool: Pool | undefined

  get #database() {
    return { dir: this.directory, nodes: [], port: this.#port, rest: false, owner: null }
  }

  startDatabase = (): Promise<void> => startPostgres(this.#database)
  stopDatabase = (): Promise<void> => stopPostgres(this.#database)

  async start(): Promise<void> {
    chmodSync(this.directory, 0o755)
    this.#port = await sparePorts(1 + ENGINES + 4)
    await makePostgres(this.#database)
    for (let index = 0; index < ENGINES; index += 1) {
      const port = this.#port + 1 + index
      this.engines.push(
        this.#part(`engine-${index}`, { port, argv: [join(import.meta.dirname, 'stub-process.ts'), String(port)], health: port }),
      )
    }
    this.publish()
    for (const index of [0, 1]) {
      const port = this.#port + 1 + ENGINES + 2 * index
      const state = join(this.directory, `gateway-${index}`)
      mkdirSync(state)
      const flags = ['--config', this.#snapshot, '--state', state, '--port', port, '--admin-port', port + 1, '--drain-s', 20]
      const probe = ['--expose-gc', '--import', join(import.meta.dirname, 'probe.ts')]
      const argv = [...probe, join(ROOT, 'packages/effects/gateway/src/main.ts'), ...flags.map(String)]
      this.gateways.push(this.#part(`gateway-${index}`, { port, argv, health: port + 1 }))
    }
    for (const part of [...this.engines, ...this.gateways]) await part.start()
    this.#pool = new Pool({ connectionString: postgresUrl(this.#database), max: 1 })
    this.#pool.on('error', () => undefined)
    await this.#openBudget(this.#pool)
  }

  /** A new version of the same configuration. */
  publish(): void {
    this.#version += 1
    const replicas = this.engines.map(({ port }, index) => ({ id: `engine-${index}`, url: `http://127.0.0.1:${port}`, max_running: 256 }))
    const document = {
      version: this.#version,
      pools: { main: { replicas } },
      models: { m: { targets: [{ pool: 'main' }], input_usd_per_million: 0.001, output_usd_per_million: 0.002, first_byte_s: 3 } },
      tenants: { one: { budget: 'one' }, two: {}, abusive: { requests_per_minute: 600, concurrency: 16 } },
      keys: [
        { sha256: sha256(KEY), tenant: 'one' },
        { sha256: sha256(OTHER_KEY), tenant: 'two' },
        { sha256: sha256(ABUSIVE_KEY), tenant: 'abusive' },
      ],
    }
    writeFileSync(`${this.#snapshot}.new`, JSON.stringify(document))
    renameSync(`${this.#snapshot}.new`, this.#snapshot)
  }

  /** Whoever publishes configuration is away. */
  withdraw(): void {
    rmSync(this.#snapshot, { force: true })
  }

  async restart(part: Part, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    part.up = false
    const ended = new Promise((done) => part.process.once('exit', done))
    part.process.kill(signal)
    await ended
    await part.start()
  }

  async end(): Promise<void> {
    for (const { process: child } of [...this.gateways, ...this.engines]) {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
    }
    await this.#pool?.end()
    await this.stopDatabase()
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** Rows that the gateways keep; undefined while the database is away. */
  async rows(): Promise<number | undefined> {
    const text = 'select (select count(*) from gateway_leases) + (select count(*) from gateway_budgets) as rows'
    return this.#pool?.query<{ readonly rows: string }>(text).then(
      ({ rows }) => Number(rows[0]?.rows),
      () => undefined,
    )
  }

  get #snapshot(): string {
    return join(this.directory, 'gateway.json')
  }

  #part(name: string, { port, argv, health }: { readonly port: number; readonly argv: readonly string[]; readonly health: number }): Part {
    const run = (): ChildProcess => {
      const child = spawn(process.execPath, argv, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, IRONLAW_GATEWAY_DATABASE: postgresUrl(this.#database) },
      })
      const take = (data: Buffer): void => {
        part.output = (part.output + data.toString()).slice(-10_000)
      }
      child.stdout.on('data', take)
      child.stderr.on('data', take)
      return child
    }
    const start = async (): Promise<void> => {
      part.process = run()
      await answers(`http://127.0.0.1:${health}/health/ready`)
      part.up = true
    }
    const part: Part = { name, port, process: spawn('true'), up: false, output: '', isUp: () => part.up, start }
    return part
  }

  async #openBudget(pool: Pool): Promise<void> {
    for (let look = 0; look < 100; look += 1) {
      const isOpen = await pool.query("insert into gateway_budgets (name, limit_nusd) values ('one', 1000000000000000)").then(
        () => true,
        () => false,
      )
      if (isOpen) return
      await new Promise((done) => setTimeout(done, 100))
    }
    throw new Error('the tables of the budgets were not made')
  }
}

/** Any answer will do: the stub knows no path of health. */
async function answers(url: string): Promise<void> {
  for (let look = 0; look < 300; look += 1) {
    const isUp = await fetch(url).then(
      ({ status }) => status !== 503,
      () => false,
    )
    if (isUp) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`${url} does not answer`)
}

export const memoryOf = ({ process: { pid = 0 } }: Part): number => rss_bytes(pid)
export const descriptorsOf = ({ process: { pid = 0 } }: Part): number => readdirSync(`/proc/${pid}/fd`).length

/** Bytes on the heap after garbage was collected; undefined where the gateway did not say. */
export async function heapOf(part: Part): Promise<number | undefined> {
  part.output = ''
  part.process.kill('SIGUSR2')
  for (let look = 0; look < 100; look += 1) {
    const heap = /heap (\d+)/.exec(part.output)?.[1]
    if (heap !== undefined) return Number(heap)
    await new Promise((done) => setTimeout(done, 20))
  }
  return undefined
}

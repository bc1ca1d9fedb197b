// Real engines, each with one thread, and the real gateway before some of them.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Gateway } from '@ironlaw/gateway'
import type { RouterName } from '@ironlaw/policies/serving'
import { snapshotOf, startWithSnapshot } from '../../../../packages/effects/gateway/test/setting.ts'

export type EngineTimes = { readonly prompt: string; readonly at_s: number; readonly tokens_s: readonly number[]; readonly ended_s: number }

export type RunningEngine = { readonly url: string; readonly child: ChildProcess; readonly times: () => readonly EngineTimes[] }

export type BedOptions = { readonly file: string; readonly slots: number; readonly context: number }

/** Prices for the router, by the gateway's tokens: it takes four characters for one. */
export type Prices = { readonly prefill_s_per_token: number; readonly step_s: number; readonly step_s_per_sequence: number }

const CHARACTERS_PER_TOKEN = 4

export class Bed {
  readonly #options: BedOptions
  readonly #directory = mkdtempSync(join(tmpdir(), 'ironlaw-compare-'))
  readonly #gateway: Gateway
  readonly engines: RunningEngine[] = []
  #version = 1

  private constructor(options: BedOptions, gateway: Gateway) {
    this.#options = options
    this.#gateway = gateway
  }

  static async open(options: BedOptions): Promise<Bed> {
    return new Bed(options, await startWithSnapshot(snapshotOf([])))
  }

  get url(): string {
    return this.#gateway.url
  }

  /** Ready when it resolves. */
  async startEngine(): Promise<RunningEngine> {
    const name = join(this.#directory, String((this.#version += 1)))
    const { file, slots, context } = this.#options
    const environment = { E2E_GGUF: file, E2E_SLOTS: String(slots), E2E_CONTEXT: String(context), E2E_TIMES: `${name}.times` }
    const child = spawn(process.execPath, [join(import.meta.dirname, '../engine-program.ts')], {
      env: { ...process.env, ...environment, IRONLAW_ENDPOINT_FILE: `${name}.endpoint` },
      stdio: 'inherit',
    })
    // Also when what is measured fails.
    process.once('exit', () => child.kill('SIGKILL'))
    while (!existsSync(`${name}.endpoint`)) await pause(5)
    const times = (): readonly EngineTimes[] => {
      const lines = readFileSync(`${name}.times`, 'utf8').trim().split('\n')
      return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    }
    const engine = { url: readFileSync(`${name}.endpoint`, 'utf8').trim(), child, times }
    this.engines.push(engine)
    return engine
  }

  /** The gateway before these engines. Nobody waits in it, so what waits does so at an engine. */
  route(engines: readonly RunningEngine[], router: RouterName, prices?: Prices): void {
    const scaled = prices && { ...prices, prefill_s_per_token: prices.prefill_s_per_token * CHARACTERS_PER_TOKEN }
    const version = (this.#version += 1)
    const pool = { router, kv_tokens: this.#options.slots * this.#options.context, ...scaled }
    this.#gateway.apply(
      snapshotOf(
        engines.map(({ url }) => url),
        { version, pool },
      ),
    )
  }

  async stop(): Promise<void> {
    await this.#gateway.stop({ drain_s: 0 })
    for (const { child } of this.engines) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    rmSync(this.#directory, { recursive: true })
  }
}

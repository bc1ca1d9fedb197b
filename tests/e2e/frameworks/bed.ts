// A control plane of this machine whose agents run the frameworks' Python, and a spec applied to it as a person would.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isTerminal } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import type { Ledger } from '@ironlaw/contracts/ledger'
import { LocalPlane } from '../calibration/local-plane.ts'

const PROGRAMS = join(import.meta.dirname, 'programs')
const FLEET = join(import.meta.dirname, '../../../examples/reference-trainer/fleet.yaml')
const SEQUENCE = 64
const BATCH = 8
const STEPS = 3
/** Imports alone take a minute where others work beside it. */
const RUN_MS = 15 * 60_000

export type FrameworkRun = {
  readonly name: string
  readonly framework: string
  readonly strategy: object
  readonly program: readonly string[]
  readonly precision?: string
  readonly devices?: number
}

export type FinishedRun = { readonly run: RunView; readonly ledger: Ledger; readonly log: string }

export class Bed {
  readonly #plane = new LocalPlane()
  readonly #python: string

  constructor(python: string) {
    this.#python = python
  }

  start(): Promise<void> {
    return this.#plane.start(2, this.#python)
  }

  stop(): Promise<void> {
    return this.#plane.stop()
  }

  version(name: string): string {
    const program = `import importlib.metadata as m; print(m.version(${JSON.stringify(name)}))`
    return execFileSync(this.#python, ['-c', program], { encoding: 'utf8' }).trim()
  }

  /** Until it has ended well; otherwise what its first rank printed last. */
  async applyRun({ name, framework, strategy, program, precision = 'fsdp-mixed', devices = 2 }: FrameworkRun): Promise<FinishedRun> {
    const assets = join(this.#plane.directory, name)
    mkdirSync(assets, { recursive: true })
    const file = join(assets, 'train.json')
    const spec = {
      apiVersion: 'ironlaw/v1',
      kind: 'Train',
      name,
      model: join(PROGRAMS, 'debug-model.json'),
      tokens: `${SEQUENCE * BATCH * STEPS} tokens`,
      sequence: SEQUENCE,
      globalBatch: BATCH,
      precision,
      runtime: 'fsdp-eager',
      fleet: { accelerator: 'cpu-core', count: devices, perNode: devices, link: '10 Gb/s' },
      strategy: { pipeline: 1, context: 1, recompute: 'none', ...strategy },
      run: {
        framework,
        program: [join(PROGRAMS, program[0] ?? ''), ...program.slice(1)],
        directory: assets,
        environment: { FRAMEWORK_ASSETS: assets, HF_HOME: assets, HF_HUB_OFFLINE: '1', DS_ACCELERATOR: 'cpu', LOG_RANK: '0' },
      },
    }
    writeFileSync(file, JSON.stringify(spec))
    const { id }: RunView = JSON.parse(await this.#plane.ironlaw('apply', file, '--yes', '--json', '--with', FLEET))
    const run = await this.#waitForEnd(id)
    const log = await this.#plane.ironlaw('logs', id, '--rank', '0')
    if (run.state !== 'succeeded') throw new Error(`${name} ${run.state}: ${run.outcome?.detail}\n${log.slice(-4000)}`)
    return { run, log, ledger: await this.#plane.ask<Ledger>(`/v1/runs/${id}/ledger`) }
  }

  async #waitForEnd(id: string): Promise<RunView> {
    for (const deadline = Date.now() + RUN_MS; ; await pause(500)) {
      const run = await this.#plane.ask<RunView>(`/v1/runs/${id}`)
      if (isTerminal(run.state)) return run
      if (Date.now() > deadline) throw new Error(`${id} has not ended after ${RUN_MS / 60_000} min: ${run.state}, ${run.why}`)
    }
  }
}

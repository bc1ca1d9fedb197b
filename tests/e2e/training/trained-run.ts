// The reference trainer as a run: applied with the command line as a person would, watched through the API.

import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isTerminal } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import type { ControlPlane } from './control-plane.ts'

const ROOT = join(import.meta.dirname, '../../..')
const EXAMPLE = join(ROOT, 'examples/reference-trainer')
const TOKENS_PER_STEP = 16 * 128

type RunOptions = {
  readonly name: string
  readonly steps: number
  readonly directory: string
  readonly checkpointEvery: string
  /** What a step takes at least. */
  readonly pace_s?: number
  readonly spares?: number
  readonly check?: { readonly share: number }
  /** Of the plan; the trainer's own is 16. */
  readonly globalBatch?: number
  /** One node with these, instead of four with a core each. */
  readonly gpus?: { readonly accelerator: string; readonly perNode: number }
}

const GLOBAL_BATCH = 16

export async function applyRun(
  plane: ControlPlane,
  { name, steps, directory, checkpointEvery, pace_s = 0, spares = 0, check, globalBatch = GLOBAL_BATCH, gpus }: RunOptions,
): Promise<RunView> {
  const fleet = gpus ? { ...gpus, count: gpus.perNode } : { accelerator: 'cpu-core', count: 4, perNode: 1, link: '10 Gb/s' }
  const data = fleet.count
  const spec = {
    apiVersion: 'ironlaw/v1',
    kind: 'Train',
    name,
    model: join(EXAMPLE, 'tiny.config.json'),
    tokens: `${steps * TOKENS_PER_STEP} tokens`,
    sequence: 128,
    globalBatch,
    precision: 'fp32',
    runtime: 'fsdp-eager',
    fleet,
    strategy: { tensor: 1, pipeline: 1, context: 1, data, microbatch: globalBatch / data, shards: 'optimizer', recompute: 'none' },
    run: {
      program: [
        'train.py',
        '--model',
        'tiny',
        '--steps',
        String(steps),
        '--out',
        join(directory, `model-${name}`),
        '--pace',
        String(pace_s),
      ],
      directory: EXAMPLE,
      environment: { OPENBLAS_CORETYPE: 'SKYLAKEX', OMP_NUM_THREADS: '1' },
      checkpointEvery,
      spares,
      ...(check && { check }),
    },
  }
  const file = join(directory, `${name}.json`)
  writeFileSync(file, JSON.stringify(spec))
  return JSON.parse(await ironlaw(plane, ['apply', file, '--yes', '--json', '--with', join(EXAMPLE, 'fleet.yaml')])) as RunView
}

/** The command line as a person has it; throws when the command fails. */
export async function ironlaw(plane: ControlPlane, argv: readonly string[]): Promise<string> {
  const main = join(ROOT, 'packages/apps/cli/src/main.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...argv], {
    env: { ...process.env, IRONLAW_CONTEXT: plane.context },
  })
  return stdout
}

const WITHIN_MS = 400_000

/** Polls until something holds of the run; an outage of the control plane or its database is nothing to worry about. */
export async function until(plane: ControlPlane, id: string, holds: (run: RunView) => boolean): Promise<RunView> {
  let last = 'nothing seen'
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; await pause(100)) {
    const run = await plane.run(id).catch((cause: unknown) => String(cause))
    if (typeof run !== 'string' && holds(run)) return run
    last =
      typeof run === 'string' ? run : `${run.state} ${run.why} step ${run.step ?? '-'} attempt ${run.attempt} ${run.outcome?.detail ?? ''}`
    if (typeof run !== 'string' && isTerminal(run.state)) break
  }
  throw new Error(`${id} did not get there: ${last}`)
}

export const waitForEnd = (plane: ControlPlane, id: string): Promise<RunView> => until(plane, id, ({ state }) => isTerminal(state))

export type Completion = { readonly step: number; readonly loss: number; readonly attempt: number }

export const readCompletion = (plane: ControlPlane, id: string): Completion =>
  JSON.parse(readFileSync(join(plane.runs, id, 'completed.json'), 'utf8'))

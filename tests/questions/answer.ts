// What `ironlaw plan FILE` answers, as text and as JSON: the same program and files that a user runs.

import { execFile } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const MAIN = join(ROOT, 'packages/apps/cli/src/main.ts')

/** Where the specs of the questions are, from the root of the project. */
const SPECS = 'docs/validation/questions'

/** Not the seed that planning simulates with. */
const SEED = '20261117'

export type Layout = {
  readonly tensor: number
  readonly context: number
  readonly pipeline: number
  readonly expert: number
  readonly data: number
  readonly microbatch: number
  readonly recompute: string
  readonly shards: string
  readonly optimizerOn: string
}

/** The best training plan of an answer, as far as questions look at it. */
export type TrainingPlan = {
  readonly runtime: { readonly name: string }
  readonly decision: Layout
  readonly prediction: {
    readonly step_s: number
    readonly step_low_s: number
    readonly step_high_s: number
    readonly tokens_per_s_per_device: number
    readonly mfu: number
    readonly memory_bytes: number
    readonly memory_limit_bytes: number
    readonly memory_probability: number
  }
}

/** The best serving plan of an answer, as far as questions look at it. */
export type ServingPlan = {
  readonly accelerator: string
  readonly devices: number
  readonly pools: readonly {
    readonly role: string
    readonly replicas: number
    readonly layout: { readonly tensor: number; readonly pipeline: number; readonly data: number; readonly expert: number }
  }[]
  readonly prediction: { readonly ttft_s: number; readonly tpot_s: number; readonly replica_requests_per_s: number }
}

export type PlannerAnswer = {
  readonly text: string
  /** Requests of the best serving plan that meet its objectives, in a simulation with a seed of its own. */
  readonly inTime: number | undefined
  readonly training: readonly TrainingPlan[]
  readonly serving: readonly ServingPlan[]
}

type Printed = { readonly code: number; readonly output: string; readonly json: string }

function command(words: readonly string[]): Promise<Printed> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...words],
      { cwd: ROOT, env: { ...process.env, NO_COLOR: '1', COLUMNS: '200' }, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, output: `${stdout}${stderr}`, json: stdout }),
    )
  })
}

/** Asks for the plan of one spec; a refusal is an answer without plans. */
export async function ask(id: string): Promise<PlannerAnswer> {
  const file = `${SPECS}/${id}.yaml`
  const text = await command(['plan', file])
  const printed = await command(['plan', file, '--json'])
  const simulated = await command(['simulate', 'serve', file, '--seed', SEED, '--json'])
  const plans: readonly (TrainingPlan | ServingPlan)[] = printed.code === 0 ? JSON.parse(printed.json).plans : []
  return {
    text: text.output,
    inTime: simulated.code === 0 ? JSON.parse(simulated.json).attained : undefined,
    training: plans.filter((plan): plan is TrainingPlan => 'decision' in plan),
    serving: plans.filter((plan): plan is ServingPlan => 'pools' in plan),
  }
}

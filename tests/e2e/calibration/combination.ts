// The reference trainer at one size on N ranks of one node, planned and run.

import { median } from '@ironlaw/laws/quantile'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isTerminal, type TrainingPlan } from '@ironlaw/contracts'
import type { RunView, StepView } from '@ironlaw/contracts/api'
import type { LocalPlane } from './local-plane.ts'

const EXAMPLE = join(import.meta.dirname, '../../../examples/reference-trainer')
export const FLEET = join(EXAMPLE, 'fleet.yaml')
/** OpenBLAS knows the newest processors late and then multiplies with its oldest kernels; measured and trained alike with one that fits. */
export const ENVIRONMENT = { OPENBLAS_CORETYPE: 'SKYLAKEX', OMP_NUM_THREADS: '1' }

export type Combination = { readonly model: 'tiny' | 'small'; readonly ranks: number; readonly steps: number }

/** As examples/reference-trainer/model.py has them; the trainer's global batch is 16 windows, in parts of at most 8. */
const SHAPES = {
  tiny: { hidden_size: 128, num_hidden_layers: 4, num_attention_heads: 4, num_key_value_heads: 2, intermediate_size: 352, context: 128 },
  small: { hidden_size: 256, num_hidden_layers: 6, num_attention_heads: 8, num_key_value_heads: 4, intermediate_size: 704, context: 256 },
}
const BATCH = 16
const PART = 8

export const titleOf = ({ model, ranks }: Combination): string => `${model} x ${ranks}`

function specFile({ directory }: LocalPlane, { model, ranks, steps }: Combination): string {
  const { context, ...shape } = SHAPES[model]
  const config = join(directory, `${model}.config.json`)
  const architecture = { architectures: ['LlamaForCausalLM'], model_type: 'llama', vocab_size: 256, ...shape }
  writeFileSync(
    config,
    JSON.stringify({ ...architecture, max_position_embeddings: context, hidden_act: 'silu', tie_word_embeddings: true }),
  )
  const file = join(directory, `${model}-${ranks}.json`)
  const spec = {
    apiVersion: 'ironlaw/v1',
    kind: 'Train',
    name: `${model}-${ranks}`,
    model: config,
    tokens: `${steps * BATCH * context} tokens`,
    sequence: context,
    globalBatch: BATCH,
    precision: 'fp32',
    // Operator by operator, and nothing hides an exchange: that is how the trainer is written.
    runtime: 'megatron-deepspeed',
    fleet: { accelerator: 'cpu-core', count: ranks, perNode: ranks, link: '10 Gb/s' },
    strategy: {
      tensor: 1, pipeline: 1, context: 1, data: ranks, microbatch: Math.min(PART, BATCH / ranks),
      shards: ranks > 1 ? 'optimizer' : 'nothing', recompute: 'none',
    }, // prettier-ignore
    run: {
      program: ['train.py', '--model', model, '--steps', String(steps), '--out', join(directory, `trained-${model}-${ranks}`)],
      directory: EXAMPLE,
      environment: ENVIRONMENT,
      checkpointEvery: '1h',
    },
  }
  writeFileSync(file, JSON.stringify(spec))
  return file
}

export async function planCombination(plane: LocalPlane, combination: Combination): Promise<TrainingPlan['prediction']> {
  const answer = await plane.ironlaw('plan', specFile(plane, combination), '--with', FLEET, '--json', '--top', '1')
  const [plan]: TrainingPlan[] = JSON.parse(answer).plans
  if (!plan) throw new Error(`${titleOf(combination)}: nothing fits`)
  return plan.prediction
}

export type TrainedRun = { readonly run: string; readonly step_s: number; readonly phases_s: Readonly<Record<string, number>> }

/** Steps that warm up are left out, as in the product. */
const WARM_UP = 3

export async function trainCombination(plane: LocalPlane, combination: Combination): Promise<TrainedRun> {
  const argv = ['apply', specFile(plane, combination), '--with', FLEET, '--yes', '--json']
  let run: RunView = JSON.parse(await plane.ironlaw(...argv))
  while (!isTerminal(run.state)) {
    await pause(1000)
    run = await plane.ask(`/v1/runs/${run.id}`)
  }
  if (run.state !== 'succeeded') throw new Error(`${run.id} ${run.state}: ${run.outcome?.detail}`)
  const { items }: { items: StepView[] } = await plane.ask(`/v1/runs/${run.id}/steps?limit=1000`)
  const warm = items.slice(WARM_UP)
  const phases = new Set(warm.flatMap(({ phases_s }) => Object.keys(phases_s)))
  return {
    run: run.id,
    step_s: median(warm.map(({ seconds, phases_s }) => seconds - (phases_s['checkpoint'] ?? 0))),
    phases_s: Object.fromEntries([...phases].map((phase) => [phase, median(warm.map(({ phases_s }) => phases_s[phase] ?? 0))])),
  }
}

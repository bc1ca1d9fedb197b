// The program of a replica: what the user starts, with the plan's decisions behind it as flags of the engine.

import type { ServingPlan, ServingPool } from '@ironlaw/contracts'
import { warn } from '../exported.ts'
import { type EngineFlags, longestRequest, sequences, sglangFlags, vllmFlags, words } from './engine-flags.ts'

type Engine = 'vllm' | 'sglang' | 'llamacpp'

export type PlannedEngine = {
  readonly argv: readonly string[]
  /** What the engine does otherwise than was priced. */
  readonly inexact: readonly string[]
  /** Why it cannot serve the plan at all. */
  readonly impossible: readonly string[]
  /** Flags of the user's that the plan decides. */
  readonly repeated: readonly string[]
}

type Asked = { readonly engine: Engine; readonly program: readonly string[]; readonly pool: ServingPool }

export function plannedEngine(plan: ServingPlan, { engine, program, pool }: Asked): PlannedEngine {
  const { flags, warnings, impossible } = FLAGS[engine](plan, pool)
  // Where the model lies is said by the user's command.
  const decided = flags.flatMap(words).filter((_, index, all) => all[index] !== '--model-path' && all[index - 1] !== '--model-path')
  const names = new Set(decided.filter(isFlag))
  return {
    argv: [...program, ...decided],
    inexact: [...warn(plan.engine !== engine, `priced with the overheads of ${plan.engine}, not of ${engine}`), ...warnings],
    impossible,
    repeated: program.filter((word) => isFlag(word) && names.has(word.split('=')[0] ?? word)),
  }
}

const isFlag = (word: string): boolean => word.startsWith('--')

/** As `llama-server --help` of llama.cpp b6000 and later has them; a context is shared by the slots. */
function llamacppFlags(plan: ServingPlan, pool: ServingPool): EngineFlags {
  const { tensor, pipeline, data, expert } = pool.layout
  return {
    program: ['llama-server'],
    flags: [
      `--parallel ${sequences(plan)}`,
      `--ctx-size ${Math.min(Math.floor(plan.prediction.cache_tokens), sequences(plan) * longestRequest(plan))}`,
      ...(plan.cache === 'int8' ? ['--cache-type-k q8_0', '--cache-type-v q8_0'] : []),
    ],
    warnings: warn(plan.precision !== 'bf16', `the weights are as the GGUF file has them: it must be quantized to ${plan.precision}`),
    impossible: [
      ...warn(tensor * pipeline * data * expert > 1, 'llama.cpp serves a replica from one device: plan with layout: { tensor: 1 }'),
      ...warn(plan.cache === 'fp8', 'llama.cpp keeps no cache in FP8: plan with cache: bf16 or int8'),
      ...warn(plan.speculation !== undefined, 'llama.cpp speculates with a draft model only: leave "speculation" out'),
      ...warn(pool.role !== 'all', 'llama.cpp does not part prompts from decoding'),
    ],
  }
}

const FLAGS: Readonly<Record<Engine, (plan: ServingPlan, pool: ServingPool) => EngineFlags>> = {
  vllm: vllmFlags,
  sglang: sglangFlags,
  llamacpp: llamacppFlags,
}

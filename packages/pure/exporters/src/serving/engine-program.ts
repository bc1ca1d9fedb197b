// The program of a replica: what the user starts, with the plan's decisions behind it as flags of the engine.

import type { ServingPlan, ServingPool } from '@ironlaw/contracts'
import { warningIf } from '../exported.ts'
import { type EngineFlags, longestRequest, mostSequences, sglangFlags, lengthWarnings, vllmFlags, flagWords } from './engine-flags.ts'

type Engine = 'vllm' | 'sglang' | 'llamacpp'

export type PlannedEngine = {
  readonly argv: readonly string[]
  /** What the engine does otherwise than was priced. */
  readonly inexact: readonly string[]
  /** What must be so of the model's files: the engine reads it there. */
  readonly requires: readonly string[]
  /** Why it cannot serve the plan at all. */
  readonly impossible: readonly string[]
  /** Flags of the user's that the plan decides. */
  readonly repeated: readonly string[]
}

type EngineRequest = { readonly engine: Engine; readonly program: readonly string[]; readonly pool: ServingPool }

export function plannedEngine(plan: ServingPlan, { engine, program, pool }: EngineRequest): PlannedEngine {
  const { flags, warnings, requires, impossible } = FLAGS[engine](plan, pool)
  const decided = flags.flatMap(flagWords)
  const names = new Set(decided.filter(isFlag))
  return {
    argv: [...program, ...decided],
    inexact: [...warningIf(plan.engine !== engine, `priced with the overheads of ${plan.engine}, not of ${engine}`), ...warnings],
    requires,
    impossible,
    repeated: program.filter((word) => isFlag(word) && names.has(flagName(word))),
  }
}

const isFlag = (word: string): boolean => word.startsWith('--')

/** Engines take underscores for hyphens, and a value behind an equals sign. */
const flagName = (word: string): string => (word.split('=')[0] ?? word).replaceAll('_', '-')

/** Precisions of weights that files for llama.cpp have: F16 or BF16, Q8_0, the family of Q4, MXFP4. */
const GGUF: ReadonlySet<string> = new Set(['bf16', 'int8', 'int4', 'mxfp4-experts'])

/** LLAMA_MAX_SEQ of llama.cpp: it does not start with more slots. */
const LLAMACPP_SLOTS = 256

/** As `llama-server --help` of llama.cpp b6000 and later has them. */
function llamacppFlags(plan: ServingPlan, pool: ServingPool): EngineFlags {
  const { tensor, pipeline, data, expert } = pool.layout
  const slots = Math.min(LLAMACPP_SLOTS, mostSequences(plan))
  return {
    program: ['llama-server'],
    place: [],
    flags: [
      `--parallel ${slots}`,
      // Otherwise every slot has a fixed part of the context, and a long request finds no room although other slots are empty.
      '--kv-unified',
      `--ctx-size ${Math.min(Math.floor(plan.prediction.cache_tokens), slots * longestRequest(plan))}`,
      ...(plan.cache === 'int8' ? ['--cache-type-k q8_0', '--cache-type-v q8_0'] : []),
    ],
    warnings: [
      ...warningIf(
        plan.prediction.decoding > LLAMACPP_SLOTS,
        `llama.cpp takes ${LLAMACPP_SLOTS} requests at once, ${plan.prediction.decoding.toFixed(0)} were planned`,
      ),
      ...lengthWarnings(plan),
    ],
    requires: warningIf(
      plan.precision !== 'bf16' && GGUF.has(plan.precision),
      `the weights are as the GGUF file has them: it must be quantized to ${plan.precision}`,
    ),
    impossible: [
      ...warningIf(
        !GGUF.has(plan.precision),
        `no GGUF file has weights in ${plan.precision}: plan with precisions: [bf16], [int8] or [int4]`,
      ),
      ...warningIf(tensor * pipeline * data * expert > 1, 'llama.cpp serves a replica from one device: plan with layout: { tensor: 1 }'),
      ...warningIf(plan.cache === 'fp8', 'llama.cpp keeps no cache in FP8: plan with cache: bf16 or int8'),
      ...warningIf(plan.speculation !== undefined, 'llama.cpp speculates with a draft model only: leave "speculation" out'),
      ...warningIf(plan.adapters !== undefined, 'llama.cpp applies adapters to all requests alike: plan without "adapters"'),
      ...warningIf(plan.offload !== undefined, 'llama.cpp keeps no keys outside the device: plan without "offload"'),
      ...warningIf(pool.role !== 'all', 'llama.cpp does not separate prefill from decode'),
    ],
  }
}

const FLAGS: Readonly<Record<Engine, (plan: ServingPlan, pool: ServingPool) => EngineFlags>> = {
  vllm: vllmFlags,
  sglang: sglangFlags,
  llamacpp: llamacppFlags,
}

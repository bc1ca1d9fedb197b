// Flags of the serving engines for one pool of a plan: those of vLLM as its documentation has them (docs/serving/parallelism_scaling.md at
// 096bd6a for several nodes), those of SGLang as in docs.sglang.io, server arguments; both as the recipes of InferenceX use them.

import { rareLength, type ServingPlan, type ServingPool, STEP_TOKENS } from '@ironlaw/contracts'
import { shellWord, warningIf } from '../exported.ts'
import { driveWarnings, sglangAdapters, sglangOffload, vllmAdapters, vllmOffload } from './adapter-flags.ts'
import { sglangExpertFlags, vllmExpertFlags } from './expert-flags.ts'
import { sglangSpeculation, speculationProblems, speculationRequirements, vllmSpeculation } from './speculation-flags.ts'
import { weightsOf } from './weights.ts'

export type EngineFlags = {
  readonly program: readonly string[]
  /** Model and address, which the caller supplies because the plan has neither. */
  readonly place: readonly string[]
  /** What the plan decides. */
  readonly flags: readonly string[]
  readonly warnings: readonly string[]
  /** What must be so for the engine to serve as was priced, and no flag can say. */
  readonly requires: readonly string[]
  readonly impossible: readonly string[]
}

/**
 * Tokens a request may hold: the rarest prompt with the rarest answer, as far as the model goes and the cache that holds it. A request lies
 * with one copy of the attention, which has its part of the replica's cache.
 */
export const longestRequest = ({ traffic, model, prediction, pools }: ServingPlan): number =>
  Math.min(
    model.longestContext ?? Infinity,
    // The figures of a plan are those of its last pool, the one that decodes.
    Math.floor(prediction.cache_tokens / (pools.at(-1)?.layout.data ?? 1)),
    rareLength(traffic.input_tokens) + rareLength(traffic.output_tokens),
  )

export const lengthWarnings = (plan: ServingPlan): readonly string[] =>
  warningIf(
    longestRequest(plan) < Math.min(plan.model.longestContext ?? Infinity, rareLength(plan.traffic.input_tokens)),
    `the cache that a request has holds ${longestRequest(plan)} tokens: longer requests are refused`,
  )

/** Accelerators for which the engines' own releases have no build. */
export const acceleratorProblems = ({ accelerator }: ServingPlan, engine: string): readonly string[] =>
  warningIf(
    /^(?:tpu|trainium|inferentia|coral|stm32)/.test(accelerator),
    `${engine} needs a plug-in of the vendor's for ${accelerator}, whose flags are its own`,
  )

const WEIGHT_ONLY = new Set(['int4', 'int4-experts'])

/** The name of the spec, on one line: what clients ask for. */
const servedName = ({ name }: ServingPlan): string => `--served-model-name ${shellWord(name.replaceAll(/\s+/g, ' '))}`

export function vllmFlags(plan: ServingPlan, pool: ServingPool): EngineFlags {
  const { tensor, pipeline, data, expert } = pool.layout
  const online = plan.precision === 'fp8'
  return {
    program: ['vllm', 'serve', weightsOf(plan)],
    place: [servedName(plan)],
    flags: [
      ...(online ? ['--quantization fp8'] : []),
      ...(plan.cache === 'bf16' ? [] : [`--kv-cache-dtype ${plan.cache}`]),
      `--max-model-len ${longestRequest(plan)}`,
      `--tensor-parallel-size ${tensor}`,
      ...(pipeline > 1 ? [`--pipeline-parallel-size ${pipeline}`] : []),
      ...(data > 1 ? [`--data-parallel-size ${data}`] : []),
      ...(expert > 1 ? ['--enable-expert-parallel'] : []),
      ...vllmExpertFlags(pool),
      '--gpu-memory-utilization 0.90',
      // Both are of one data-parallel rank, whose requests are its part of the replica's.
      `--max-num-batched-tokens ${STEP_TOKENS}`,
      `--max-num-seqs ${mostSequences(plan, data)}`,
      ...(plan.traffic.cachedPrompt > 0 ? ['--enable-prefix-caching'] : []),
      ...vllmSpeculation(plan, pool),
      ...vllmAdapters(plan),
      ...vllmOffload(plan, pool),
      ...(pool.role === 'all' ? [] : [`--kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'`]),
    ],
    warnings: [...lengthWarnings(plan), ...driveWarnings(plan, 'vLLM')],
    requires: [...checkpointRequirements(plan, online), ...speculationRequirements(plan)],
    impossible: [
      ...acceleratorProblems(plan, 'vLLM'),
      ...warningIf(plan.cache === 'int8', 'vLLM keeps no cache in INT8: plan with cache: fp8'),
      ...speculationProblems(plan),
    ],
  }
}

export function sglangFlags(plan: ServingPlan, pool: ServingPool): EngineFlags {
  const { tensor, pipeline, data, expert } = pool.layout
  const online = plan.precision === 'fp8'
  return {
    program: ['python3', '-m', 'sglang.launch_server'],
    place: [`--model-path ${shellWord(weightsOf(plan))}`, servedName(plan), '--host 0.0.0.0'],
    flags: [
      ...(online ? ['--quantization fp8'] : []),
      ...(plan.cache === 'bf16' ? [] : ['--kv-cache-dtype fp8_e4m3']),
      `--context-length ${longestRequest(plan)}`,
      // SGLang counts all ranks of a replica in tp-size; copies of the attention divide them.
      `--tp-size ${tensor * data}`,
      ...(pipeline > 1 ? [`--pp-size ${pipeline}`] : []),
      ...(data > 1 ? [`--dp-size ${data}`, '--enable-dp-attention'] : []),
      ...(expert > 1 ? [`--ep-size ${expert}`] : []),
      ...sglangExpertFlags(pool),
      '--mem-fraction-static 0.88',
      // SGLang divides both among the copies of the attention.
      `--chunked-prefill-size ${STEP_TOKENS * data}`,
      `--max-running-requests ${mostSequences(plan)}`,
      ...sglangSpeculation(plan, pool),
      ...sglangAdapters(plan),
      ...sglangOffload(plan),
      ...(pool.role === 'all' ? [] : [`--disaggregation-mode ${pool.role}`]),
    ],
    warnings: lengthWarnings(plan),
    requires: [...checkpointRequirements(plan, online), ...speculationRequirements(plan)],
    impossible: [
      ...acceleratorProblems(plan, 'SGLang'),
      ...warningIf(plan.cache === 'int8', 'SGLang keeps no cache in INT8: plan with cache: fp8'),
      ...speculationProblems(plan),
    ],
  }
}

/** Concurrent requests of each part: twice the predicted number, so that a burst is admitted and not queued. */
export const mostSequences = ({ prediction }: ServingPlan, parts = 1): number =>
  Math.max(8, 2 ** Math.ceil(Math.log2((2 * Math.max(1, prediction.decoding)) / parts)))

/** Engines read from the checkpoint how its weights are quantized; only FP8 is made of 16-bit weights while they load. */
const checkpointRequirements = ({ precision, model }: ServingPlan, online: boolean): readonly string[] =>
  warningIf(
    precision !== 'bf16' && !online,
    `${model.name} must be a checkpoint already quantized to ${precision}${WEIGHT_ONLY.has(precision) ? ' (AWQ or GPTQ)' : ''}`,
  )

/** A flag and its value, which may stand in single quotes as a shell has them. */
export function flagWords(flag: string): readonly string[] {
  const blank = flag.indexOf(' ')
  if (blank < 0) return [flag]
  const value = flag.slice(blank + 1)
  const name = flag.slice(0, blank)
  return value.startsWith("'") ? [name, value.slice(1, -1).replaceAll(String.raw`'\''`, "'")] : [name, ...value.split(' ')]
}

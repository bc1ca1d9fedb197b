// A serving plan for TensorRT-LLM: options of the LLM API in a file, the rest as flags of trtllm-serve (examples/serve and examples/wide_ep of
// NVIDIA/TensorRT-LLM, 2026). Over several hosts every rank is started by MPI.

import { type ServingPlan, type ServingPool, STEP_TOKENS } from '@ironlaw/contracts'
import { caveatLines, commentLines, type ExportedPlan, shellWord, warningIf } from '../exported.ts'
import { acceleratorProblems, lengthWarnings, longestRequest, mostSequences } from './engine-flags.ts'
import { driveWarnings, tensorrtAdapters, tensorrtOffload } from './adapter-flags.ts'
import { hasWideExperts } from './expert-flags.ts'
import { hostsOf } from './hosts.ts'
import { poolLine, servingHead } from './serving-head.ts'
import { speculationProblems, speculationRequirements, tensorrtSpeculation } from './speculation-flags.ts'
import { weightsOf } from './weights.ts'

export function tensorrtLlm(plan: ServingPlan): ExportedPlan {
  const warnings = [
    ...warningIf(plan.engine !== 'tensorrt-llm', `predicted for ${plan.engine}, not for tensorrt-llm`),
    ...warningIf(plan.precision !== 'bf16', `${plan.model.name} must be a checkpoint already quantized to ${plan.precision}`),
    ...speculationRequirements(plan),
    ...lengthWarnings(plan),
    ...driveWarnings(plan, 'TensorRT-LLM'),
  ]
  const impossible = [
    ...acceleratorProblems(plan, 'TensorRT-LLM'),
    ...warningIf(plan.cache === 'int8', 'TensorRT-LLM keeps no cache in INT8: plan with cache: fp8'),
    ...speculationProblems(plan),
  ]
  const head = commentLines([...servingHead(plan), ...caveatLines({ warnings, impossible })])
  return { text: `${[...head, ...plan.pools.flatMap((pool) => poolLines(plan, pool))].join('\n')}\n`, warnings, impossible }
}

function poolLines(plan: ServingPlan, pool: ServingPool): readonly string[] {
  const { tensor, pipeline, data, expert } = pool.layout
  const file = `${pool.role === 'all' ? 'serve' : pool.role}.yaml`
  const hosts = hostsOf(plan, pool)
  const ranks = tensor * data
  const launch =
    hosts > 1
      ? [`srun -N ${hosts} --ntasks ${pool.devicesPerReplica} --ntasks-per-node ${plan.devicesPerNode} --mpi=pmix trtllm-llmapi-launch`]
      : []
  return [
    '',
    poolLine(pool),
    `cat > ${file} <<'EOF'`,
    ...optionLines(plan, pool),
    'EOF',
    ...balancerLines(pool),
    [
      [...launch, 'trtllm-serve', shellWord(weightsOf(plan))].join(' '),
      '--host 0.0.0.0',
      `--tp_size ${ranks}`,
      ...(pipeline > 1 ? [`--pp_size ${pipeline}`] : []),
      ...(expert > 1 ? [`--ep_size ${expert}`] : []),
      `--max_batch_size ${mostSequences(plan, data)}`,
      `--max_num_tokens ${STEP_TOKENS}`,
      `--max_seq_len ${longestRequest(plan)}`,
      '--kv_cache_free_gpu_memory_fraction 0.90',
      `--extra_llm_api_options ${file}`,
    ].join(' \\\n  '),
  ]
}

function optionLines(plan: ServingPlan, pool: ServingPool): readonly string[] {
  const { data } = pool.layout
  return [
    ...(data > 1
      ? // Prompts wait for those of the other copies, and then for more of them: ten steps in all are priced.
        ['enable_attention_dp: true', 'attention_dp_config: { enable_balance: true, timeout_iters: 10, batching_wait_iters: 0 }']
      : []),
    `kv_cache_config: { dtype: ${plan.cache === 'bf16' ? 'auto' : 'fp8'}, enable_block_reuse: ${plan.traffic.cachedPrompt > 0}${tensorrtOffload(plan)} }`,
    ...(hasWideExperts(pool) ? ['moe_config: { backend: WIDEEP, load_balancer: moe_load_balancer.yaml }'] : []),
    ...tensorrtSpeculation(plan, pool),
    ...tensorrtAdapters(plan),
    ...(pool.role === 'all' ? [] : ['cache_transceiver_config: { backend: DEFAULT }']),
  ]
}

const balancerLines = (pool: ServingPool): readonly string[] =>
  hasWideExperts(pool) && pool.experts
    ? [
        `cat > moe_load_balancer.yaml <<'EOF'`,
        `num_slots: ${pool.experts.count + pool.experts.redundant}`,
        'layer_updates_per_iter: 1',
        'EOF',
      ]
    : []

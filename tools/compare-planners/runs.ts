// `npm run compare:planners -- --calculon DIR --runs [--data DIR]`: the step times of measured runs as Calculon predicts them, and as we do with
// the source of each left out, on the runs that Calculon can express: transformers with as many key as query heads, without experts, sharded
// weights or context parallelism, on the accelerators that it describes.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInCatalog } from '@ironlaw/catalog'
import { type Case, publishedCases, validateLeftOut, type ValidationData, vtrainCases } from '@ironlaw/planner/validation'
import { showPercent } from '@ironlaw/units'

const SYSTEMS: Readonly<Record<string, string>> = {
  'a100-80gb-sxm': 'systems/a100_80g.json',
  'h100-sxm': 'systems/h100_80g_nvl8.json',
}
const RECOMPUTE = { none: 'none', selective: 'attn_only', full: 'full' } as const
const DATATYPES: Readonly<Record<string, string>> = { bf16: 'float16', fp8: 'float8' }
const PROGRAM = join(import.meta.dirname, 'run-calculon.py')
const NODE = 8

type CalculonRun = { readonly system: string; readonly model: object; readonly execution: object }

function calculonModel({ architecture, sequence }: Case['job']): object | undefined {
  const layers = architecture.groups.flatMap((group) => group.layers)
  const attention = layers.find((layer) => layer.kind === 'attention')
  const mlp = layers.find((layer) => layer.kind === 'mlp')
  if (!attention || !mlp || mlp.gated || attention.kvHeads !== attention.heads) return undefined
  return {
    hidden: architecture.width,
    feedforward: mlp.inner,
    seq_size: sequence,
    attn_heads: attention.heads,
    attn_size: attention.headWidth,
    num_blocks: architecture.layout.length,
  }
}

/** A run in Calculon's fields; undefined where it has none for it. */
function calculonRun({ job, strategy, choice: { accelerator, runtime } }: Case): CalculonRun | undefined {
  const system = SYSTEMS[accelerator]
  const datatype = DATATYPES[job.policy.compute]
  const model = calculonModel(job)
  const { tensor, pipeline, data, context, expert, shards, virtual, recompute, sequenceParallel } = strategy
  if (system === undefined || datatype === undefined || !model || context * expert > 1 || shards === 'weights') return undefined
  const net = (span: number): number => (span <= NODE ? 0 : 1)
  const execution = {
    num_procs: tensor * pipeline * data,
    tensor_par: tensor,
    pipeline_par: pipeline,
    data_par: data,
    tensor_par_net: net(tensor),
    pipeline_par_net: net(tensor * data * pipeline),
    data_par_net: net(tensor * data),
    batch_size: job.globalBatch,
    microbatch_size: strategy.microbatch,
    datatype,
    fused_activation: runtime.vectorPasses < 1.5,
    attention_type: 'multihead',
    activation_recompute: RECOMPUTE[recompute],
    pipeline_interleaving: virtual,
    optimizer_sharding: shards !== 'nothing' && data > 1,
    tensor_par_comm_type: sequenceParallel ? 'rs_ag' : 'ar',
    tensor_par_overlap: runtime.tensorOverlap > 0 && tensor > 1 ? 'ring' : 'none',
    seq_par_ag_redo: sequenceParallel && recompute !== 'full',
    data_par_overlap: runtime.gradientOverlap > 0 && data > 1,
    weight_offload: false,
    activations_offload: false,
    optimizer_offload: false,
    training: true,
  }
  return { system, model, execution }
}

function readData(folder: string | undefined): ValidationData {
  const read = (file: string): string | undefined => {
    const path = join(folder ?? '', 'vtrain', file)
    return folder !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  const [vtrainSingle, vtrainMulti] = ['ground_truth_single.csv', 'ground_truth_multi.csv'].map(read)
  return { ...(vtrainSingle !== undefined && { vtrainSingle }), ...(vtrainMulti !== undefined && { vtrainMulti }) }
}

const titleOf = (source: string): string => (source.startsWith('vtrain') ? source : 'published')

function errorLine(name: string, errors: readonly number[]): void {
  const sizes = errors.map(Math.abs).toSorted((a, b) => a - b)
  const at = (share: number): number => sizes[Math.floor(share * (sizes.length - 1))] ?? Number.NaN
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  console.log(`  ${name.padEnd(24)} median ${showPercent(at(0.5))}, mean ${showPercent(mean)}, p90 ${showPercent(at(0.9))}`)
}

export function compareRuns(folder: string, { python, data }: { readonly python: string; readonly data?: string }): void {
  const measured = readData(data)
  const cases = [
    ...publishedCases,
    ...(measured.vtrainSingle === undefined ? [] : vtrainCases('single', measured.vtrainSingle)),
    ...(measured.vtrainMulti === undefined ? [] : vtrainCases('multi', measured.vtrainMulti)),
  ]
  const asked = cases.flatMap((one) => {
    const run = calculonRun(one)
    return run ? [{ one, run }] : []
  })
  const { stdout, stderr, status } = spawnSync(python, [PROGRAM], {
    cwd: folder,
    encoding: 'utf8',
    input: JSON.stringify(asked.map(({ run }) => run)),
    maxBuffer: 1e8,
  })
  if (status !== 0) throw new Error(`calculon ended with ${status}: ${stderr.trim().split('\n').at(-1) ?? ''}`)
  const times = JSON.parse(stdout) as readonly (number | null)[]
  const ours = new Map(
    validateLeftOut(builtInCatalog, measured).rows.map(({ source, id, predicted_s }) => [`${source} ${id}`, predicted_s]),
  )
  const compared = asked.flatMap(({ one }, at) => {
    const [theirs, own] = [times[at], ours.get(`${one.source} ${one.id}`)]
    return typeof theirs === 'number' && own !== undefined ? [{ one, theirs, own }] : []
  })
  for (const [title, rows] of Map.groupBy(compared, ({ one }) => titleOf(one.source))) {
    console.log(`${title}: ${rows.length} runs that Calculon can express and does not refuse for memory`)
    errorLine(
      'Calculon',
      rows.map(({ one, theirs }) => theirs / one.measured.step_s - 1),
    )
    errorLine(
      'ours, source left out',
      rows.map(({ one, own }) => own / one.measured.step_s - 1),
    )
  }
}

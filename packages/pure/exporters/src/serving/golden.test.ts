import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ServingPlan, servingPlanId } from '@ironlaw/contracts'
import { expect, test } from 'vitest'
import { exportServing, SERVING_TARGETS, type ServingTarget } from './export-serving.ts'
import { PLANS } from './golden/plans.ts'

const TARGET_NAMES = Object.keys(SERVING_TARGETS) as readonly ServingTarget[]

const withPlanId = (plan: Omit<ServingPlan, 'id'>): ServingPlan => ({ ...plan, id: servingPlanId(plan) })

/** `UPDATE=1 vitest run golden` rewrites the files; the difference is then read by a person. */
function expectGolden(name: string, text: string): void {
  const path = join(import.meta.dirname, 'golden', `${name}.txt`)
  if (process.env['UPDATE'] === '1') writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
}

test.each(Object.entries(PLANS).flatMap(([name, plan]) => TARGET_NAMES.map((target) => ({ name, plan, target }))))(
  '$name for $target',
  ({ name, plan, target }) => {
    const { text, warnings } = exportServing(withPlanId(plan), target)
    expectGolden(`${name}.${target}`, [text, ...warnings.map((warning) => `warning: ${warning}\n`)].join(''))
  },
)

test('a plan that was changed after it was named says so', () => {
  const [plan] = Object.values(PLANS)
  if (!plan) throw new Error('no plan')
  expect(exportServing({ ...plan, id: 'serve-000000000000' }, 'vllm').warnings[0]).toContain('changed after it was named')
})

test('a line break in a name does not become a line of a script', () => {
  const [plan] = Object.values(PLANS)
  if (!plan) throw new Error('no plan')
  const { text } = exportServing(withPlanId({ ...plan, name: 'chat\nrm -rf /' }), 'vllm')
  expect(text).not.toMatch(/^rm/m)
})

test.each([
  ['vllm', `--speculative-config '{"method":"mtp","num_speculative_tokens":3}'`],
  ['sglang', '--speculative-num-draft-tokens 4'],
] as const)('a plan that speculates says so to %s', (target, flag) => {
  const [plan] = Object.values(PLANS)
  if (!plan) throw new Error('no plan')
  expect(
    exportServing(withPlanId({ ...plan, speculation: { method: 'mtp' as const, drafted: 3, acceptance: 0.7 } }), target).text,
  ).toContain(flag)
})

const [FIRST] = Object.values(PLANS)
const withNames = (name: string, model: string): ServingPlan => {
  if (!FIRST) throw new Error('no plan')
  return withPlanId({ ...FIRST, name, model: { ...FIRST.model, name: model } })
}

test.each(['vllm', 'sglang'] as const)('a name that a shell would execute stands in quotes for %s', (target) => {
  const { text } = exportServing(withNames('chat', `models/$(touch owned)/it's`), target)
  expect(text).toContain(String.raw`'models/$(touch owned)/it'\''s'`)
})

test('a name that Kubernetes would take for a reference stands for itself', () => {
  const { text } = exportServing(withNames('chat', `models/$(HOME) it's`), 'kubernetes')
  expect(text).toContain(JSON.stringify(`models/$$(HOME) it's`))
})

test.each([
  ['', 'plan'],
  ['日本', 'plan'],
  ['true', 'plan-true'],
  ['70b chat', 'plan-70b-chat'],
  [`${'a'.repeat(39)}--b`, 'a'.repeat(39)],
])('the plan "%s" has a name that Kubernetes takes: %s', (name, expected) => {
  expect(exportServing(withNames(name, 'm'), 'kubernetes').text).toMatch(new RegExp(`^  name: ${expected}$`, 'm'))
})

const mechanismText = (over: Partial<ServingPlan>, target: ServingTarget): string => {
  if (!FIRST) throw new Error('no plan')
  return exportServing(withPlanId({ ...FIRST, ...over }), target).text
}

const ADAPTERS = { count: 100, rank: 20, targets: ['attention'], activePerBatch: 8 } as const

test.each([
  ['vllm', '--enable-lora', '--max-loras 8', '--max-cpu-loras 100', '--max-lora-rank 32'],
  ['sglang', '--enable-lora', '--max-loras-per-batch 8', '--max-lora-rank 20', '--lora-target-modules q_proj k_proj v_proj o_proj'],
  ['tensorrt-llm', 'lora_config: { max_lora_rank: 20, max_loras: 8, max_cpu_loras: 100'],
] as const)('%s is told of adapters', (target, ...flags) => {
  const text = mechanismText({ adapters: ADAPTERS }, target)
  for (const flag of flags) expect(text).toContain(flag)
})

const OFFLOAD = { host_bytes: 64e9, drive_bytes: 0, reuseAfter_s: 300 }

test.each([
  ['vllm', '--kv-offloading-size 59'],
  ['sglang', '--hicache-size 64'],
  ['tensorrt-llm', 'host_cache_size: 64000000000'],
] as const)('%s keeps keys in the memory of the host', (target, flag) => {
  expect(mechanismText({ offload: OFFLOAD }, target)).toContain(flag)
})

test.each([
  ['vllm', 'ngram', '"method":"ngram","num_speculative_tokens":3,"prompt_lookup_max":4'],
  ['vllm', 'draft', '"method":"draft_model","model":"small","num_speculative_tokens":3'],
  ['sglang', 'eagle3', '--speculative-algorithm EAGLE3'],
  ['sglang', 'draft', '--speculative-draft-model-path small'],
  ['tensorrt-llm', 'eagle3', 'decoding_type: Eagle3, max_draft_len: 3'],
] as const)('%s speculates by %s', (target, method, flag) => {
  const speculation = { method, drafted: 3, acceptance: 0.7, ...(method === 'draft' && { model: 'small' }) }
  expect(mechanismText({ speculation }, target)).toContain(flag)
})

const DRAFT = { method: 'draft', drafted: 3, acceptance: 0.7, model: "drafts/it's small/config.json" } as const

test.each([
  ['vllm', String.raw`"model":"drafts/it'\''s small"`],
  ['sglang', String.raw`--speculative-draft-model-path 'drafts/it'\''s small'`],
  ['tensorrt-llm', `speculative_model_dir: "drafts/it's small"`],
] as const)('%s is given the folder of a model that drafts', (target, flag) => {
  expect(mechanismText({ speculation: DRAFT }, target)).toContain(flag)
})

test.each(['vllm', 'sglang', 'tensorrt-llm'] as const)('%s speculates in both pools where keys of drafts come along', (target) => {
  const { parted } = PLANS
  if (!parted) throw new Error('no plan')
  const mentions = (method: 'mtp' | 'ngram'): number =>
    mechanismText({ ...parted, speculation: { method, drafted: 3, acceptance: 0.7 } }, target).split(
      /--speculative-config|--speculative-algorithm|speculative_config/,
    ).length - 1
  expect(mentions('mtp')).toBe(2)
  expect(mentions('ngram')).toBe(1)
})

test.each(['vllm', 'sglang', 'tensorrt-llm'] as const)('%s keeps no cache of 8-bit integers, and is not given another one', (target) => {
  if (!FIRST) throw new Error('no plan')
  expect(exportServing(withPlanId({ ...FIRST, cache: 'int8' }), target).impossible).toEqual([expect.stringContaining('INT8')])
})

test('TensorRT-LLM waits for prompts of other copies as long as was priced', () => {
  const { rack } = PLANS
  if (!rack) throw new Error('no plan')
  const { text } = exportServing(withPlanId(rack), 'tensorrt-llm')
  const waits = [...text.matchAll(/(?:timeout|batching_wait)_iters: (\d+)/g)].map(([, steps]) => Number(steps))
  expect(waits).toEqual([10, 0])
})

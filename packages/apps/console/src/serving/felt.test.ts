import { builtInCatalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { expect, test } from 'vitest'
import { stateOf } from '../address.ts'
import { clusterRule, simulateLatency } from './felt.ts'
import { SERVING, type ServingQuestion } from './question.ts'
import { servingPlanner } from './serving-answer.ts'

const {
  why: _,
  export: __,
  night: ___,
  ...QUESTION
} = stateOf(SERVING, new URLSearchParams('model=meta-llama%2FLlama-3.1-8B&accelerator=h100-sxm&rate=500&split=never&cached=50'))

const PLAN = ((): ServingPlan => {
  const { looked } = servingPlanner(builtInCatalog)(QUESTION)
  if (!looked) throw new Error('the question has a plan')
  return looked
})()

const WORK = { prefillSequences: 0, prefillTokens: 0, prefillPairs: 0, decodeSequences: 16, decodeKeys: 16_000 }

const ruleOf = (plan: ServingPlan, question: ServingQuestion = QUESTION) => {
  const rule = clusterRule(builtInCatalog, { question, plan, prefixTokens: undefined })
  if (!rule) throw new Error('the simulator knows the plan')
  return rule
}

test('drafted tokens that are kept make answers faster, by a head and by a model of its own', () => {
  const plain = simulateLatency(builtInCatalog, QUESTION, PLAN)?.tpot_p99_s ?? 0
  for (const speculation of [
    { method: 'eagle3', drafted: 3, acceptance: 0.9 },
    { method: 'draft', drafted: 3, acceptance: 0.9, model: 'meta-llama/Llama-3.2-1B' },
  ] as const) {
    const plan = { ...PLAN, speculation }
    expect(ruleOf(plan).replica.speculation).toEqual({ drafted: 3, acceptance: 0.9, draft_s: 0 })
    expect(simulateLatency(builtInCatalog, QUESTION, plan)?.tpot_p99_s).toBeLessThan(0.8 * plain)
  }
})

test('adapters take memory and time', () => {
  const adapted = ruleOf({ ...PLAN, adapters: { count: 64, rank: 64, targets: ['attention', 'mlp'], activePerBatch: 64 } })
  const plain = ruleOf(PLAN)
  expect(adapted.replica.blocks).toBeLessThan(plain.replica.blocks)
  expect(adapted.replica.cost(WORK)).toBeGreaterThan(plain.replica.cost(WORK))
})

test('prompts that are read from the host wait for it, and only what the tiers hold is found', () => {
  const [pool] = PLAN.pools
  if (!pool) throw new Error('a plan has a pool')
  const tiers = { cached: 0.1, device: 0.1, host: 0.1, drive: 0, load_s: 0.25 }
  const tiered = { ...PLAN, pools: [{ ...pool, tiers }] }
  expect(ruleOf(tiered).replica.request_s).toBeCloseTo((ruleOf(PLAN).replica.request_s ?? 0) + 0.25, 9)
  const [plain, slower] = [PLAN, tiered].map((plan) => simulateLatency(builtInCatalog, QUESTION, plan))
  expect(slower?.ttft_p99_s).toBeGreaterThan((plain?.ttft_p99_s ?? 0) + 0.25)
})

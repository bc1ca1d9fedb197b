import { expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'
import { planId } from './plan-id.ts'
import { TRAINING_PLAN, type TrainingPlan } from './training-plan.ts'
import { UNDIVIDED } from './undivided.ts'

const PLAN: Omit<TrainingPlan, 'id'> = {
  apiVersion: 'ironlaw/v1',
  kind: 'TrainingPlan',
  name: 'tiny',
  model: {
    name: 'tiny',
    layers: 2,
    width: 64,
    heads: 4,
    kvHeads: 4,
    inner: 256,
    vocabulary: 1000,
    gated: false,
    modelType: 'gpt2',
  },
  tokens: 1e6,
  sequence: 128,
  globalBatch: 8,
  fleet: { accelerator: 'h100-sxm', devices: 1, perNode: 8 },
  decision: { ...UNDIVIDED, microbatch: 8, precision: 'bf16-mixed' },
  prediction: {
    step_s: 0.1,
    step_low_s: 0.09,
    step_high_s: 0.12,
    tokens_per_s_per_device: 10_240,
    mfu: 0.4,
    hfu: 0.4,
    memory_bytes: 1e9,
    memory_limit_bytes: 8e10,
    duration_s: 98,
    causes_s: { products: 0.1 },
  },
}

test('an id is twelve digits of the content, and stays what it is', () => {
  expect(planId(PLAN)).toMatch(/^plan-[0-9a-f]{12}$/)
  expect(planId(PLAN)).toMatchInlineSnapshot(`"plan-9f6adfabf4af"`)
})

test('the order of fields and an id already there do not count', () => {
  const reversed = Object.fromEntries(Object.entries(PLAN).toReversed()) as typeof PLAN
  expect(planId(reversed)).toBe(planId(PLAN))
  const whole: TrainingPlan = { ...PLAN, id: planId(PLAN) }
  expect(planId(whole)).toBe(whole.id)
})

test.each([
  ['the decision', { ...PLAN, decision: { ...PLAN.decision, microbatch: 4 } }],
  ['the prediction', { ...PLAN, prediction: { ...PLAN.prediction, step_s: 0.2 } }],
  ['the name', { ...PLAN, name: 'other' }],
])('%s counts', (_, changed) => {
  expect(planId(changed)).not.toBe(planId(PLAN))
})

test('canonical JSON sorts at every depth and leaves out what is absent', () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: undefined, A: 'x"' })).toBe('{"A":"x\\"","b":[{"c":null,"d":1}]}')
})

test.each([NaN, Infinity])('%d has no canonical text', (value) => {
  expect(() => canonicalJson({ a: value })).toThrow('has no canonical text')
})

test('a plan that a planner made is read as it is', () => {
  const whole = { ...PLAN, id: planId(PLAN) }
  expect(TRAINING_PLAN.parse(whole)).toEqual(whole)
})

test.each([
  ['another version', { apiVersion: 'ironlaw/v2' }, 'apiVersion'],
  ['a cause that no step has', { prediction: { ...PLAN.prediction, causes_s: { gremlins: 1 } } }, 'prediction.causes_s'],
  ['a step that takes no time', { prediction: { ...PLAN.prediction, step_s: 0 } }, 'prediction.step_s'],
  ['half a rank', { decision: { ...PLAN.decision, tensor: 1.5 } }, 'decision.tensor'],
  ['a schedule of its own', { decision: { ...PLAN.decision, schedule: 'lucky' } }, 'decision.schedule'],
])('%s is refused with the path to it', (_, changed, path) => {
  const issue = TRAINING_PLAN.safeParse({ ...PLAN, id: 'plan-1', ...changed }).error?.issues[0]
  expect(issue?.path.join('.')).toMatch(new RegExp(`^${path}`))
})

// One spec, one plan: `ironlaw plan`, `ironlaw apply` and the console's studio are asked the same and must answer with the same plan.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc } from '@fast-check/vitest'
import { builtInCatalog } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { afterAll, expect, test } from 'vitest'
import { planTrainingAnswer as commandAnswer } from '../packages/apps/cli/src/plan/plan.ts'
import { prepareRun } from '../packages/apps/cli/src/run/apply-train.ts'
import { stateOf } from '../packages/apps/console/src/address.ts'
import { planAnswer as studioAnswer } from '../packages/apps/console/src/training/plan-answer.ts'
import { TRAINING, type TrainingQuestion } from '../packages/apps/console/src/training/question.ts'

const SPECS = 200
const directory = mkdtempSync(join(tmpdir(), 'ironlaw-one-plan-'))
afterAll(() => rmSync(directory, { recursive: true }))

const MODELS = [
  'meta-llama/Llama-3.1-8B',
  'meta-llama/Llama-3.1-70B',
  'Qwen/Qwen3-4B',
  'mistralai/Mixtral-8x7B-v0.1',
  'openai-community/gpt2',
]

const question: fc.Arbitrary<TrainingQuestion> = fc
  .record({
    model: fc.constantFrom(...MODELS),
    accelerator: fc.constantFrom('h100-sxm', 'a100-80gb-sxm', 'h200-sxm', 'b200-sxm', 'mi300x'),
    devices: fc.constantFrom(1, 4, 8, 12, 16, 48, 64),
    link: fc.constantFrom('', '', '100 Gb/s', '800 Gb/s'),
    region: fc.constantFrom('', 'us-virginia'),
    tokens: fc.constantFrom(1e9, 123_456_789_012, 2e12),
    sequence: fc.constantFrom(1024, 8192, 32_768),
    batch: fc.constantFrom(16, 60, 256, 977),
    precision: fc.constantFrom('bf16-mixed', 'fp8', 'fsdp-mixed', 'lora'),
    runtime: fc.constantFrom('megatron-core', 'fsdp-compiled'),
    goal: fc.constantFrom('time' as const, 'cost' as const, 'energy' as const),
    deadline: fc.constantFrom('', '', '2d', '30d', '3y'),
    budget: fc.constantFrom('', '', '$2k', '$300k', '$10M'),
  })
  .map((drawn) => ({ ...stateOf(TRAINING, new URLSearchParams()), ...drawn }))

/** As a person would write it. */
const specOf = ({
  model,
  accelerator,
  devices,
  link,
  region,
  tokens,
  sequence,
  batch,
  precision,
  runtime,
  goal,
  deadline,
  budget,
}: TrainingQuestion) => ({
  apiVersion: 'ironlaw/v1',
  kind: 'Train',
  name: model.split('/').at(-1),
  model,
  tokens: `${tokens} tokens`,
  sequence,
  globalBatch: batch,
  fleet: { accelerator, count: devices, ...(link !== '' && { link }) },
  precision,
  runtime,
  goal,
  ...(region !== '' && { region }),
  ...(deadline !== '' && { deadline }),
  ...(budget !== '' && { budget }),
  run: { program: ['train.py'] },
})

type PlanOutcome =
  | { readonly plan: string | undefined; readonly refused: boolean; readonly warnings: readonly string[] }
  | { readonly error: string }

type PlanJson = {
  readonly plans: readonly { readonly id: string }[]
  readonly warnings: readonly string[]
  readonly violated: readonly string[]
}

async function planByCommand(file: string): Promise<PlanOutcome> {
  const { plans, warnings, violated } = (await commandAnswer(file, { top: '1' })).json as PlanJson
  return { plan: plans[0]?.id, refused: violated.length > 0, warnings }
}

async function planByApply(file: string): Promise<PlanOutcome> {
  const { plan, warnings, body } = await prepareRun(file, {})
  expect(body.plan).toEqual(plan)
  return { plan: plan.id, refused: false, warnings }
}

async function planByStudio(asked: TrainingQuestion): Promise<PlanOutcome> {
  const { plans, warnings, violated, nothing } = studioAnswer(builtInCatalog, asked)
  return { plan: plans[0]?.id, refused: violated.length > 0 || nothing !== undefined, warnings }
}

/** What cannot be planned at all, such as a precision that the accelerator does not have, is refused by all in the same words. */
async function outcome(face: () => Promise<PlanOutcome>): Promise<PlanOutcome> {
  try {
    return await face()
  } catch (cause) {
    if (cause instanceof IronlawError) return { error: cause.message }
    throw cause
  }
}

test(`${SPECS} random specs have one plan each, from every interface`, { timeout: 600_000 }, async () => {
  const seen = { planned: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      const file = join(directory, 'train.json')
      writeFileSync(file, JSON.stringify(specOf(asked)))
      const plan = await outcome(() => planByCommand(file))
      expect(await outcome(() => planByStudio(asked))).toEqual(plan)
      const apply = await outcome(() => planByApply(file))
      const refused = 'error' in plan || plan.refused
      if (refused) expect(apply).toHaveProperty('error')
      else expect(apply).toEqual(plan)
      seen[refused ? 'refused' : 'planned'] += 1
    }),
    { numRuns: SPECS },
  )
  // Worth something only if both ways are taken often.
  expect(Math.min(seen.planned, seen.refused)).toBeGreaterThan(SPECS / 10)
})

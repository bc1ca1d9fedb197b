// From evaluations to a plan: what two of them measured decides which precision is served.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVING_PLAN } from '@ironlaw/contracts/serving-plan'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { calibrateQuality } from '../calibrate/quality.ts'
import { planServingAnswer } from './plan-serving.ts'

const FIXTURES = join(import.meta.dirname, '../../../../../tests/fixtures')
const at = (name: string): string => join(FIXTURES, 'evaluations', name)

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ironlaw-serving-quality-'))
  vi.stubEnv('IRONLAW_MEASURED', join(directory, 'measured'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

const PLANNED = z.object({
  plans: z.array(SERVING_PLAN),
  violated: z.array(z.string()),
  quality: z.array(z.object({ precision: z.string(), verdict: z.string(), items_needed: z.number().exactOptional() })),
})

function specWith(over: object): string {
  const spec: object = z.looseObject({}).parse(parse(readFileSync(join(FIXTURES, 'careful-serve.yaml'), 'utf8')))
  const path = join(directory, 'serve.json')
  writeFileSync(path, JSON.stringify({ ...spec, model: join(FIXTURES, 'config.json'), ...over }))
  return path
}

function planned(over: object) {
  const answer = planServingAnswer(specWith(over), { top: '1' })
  return { ...PLANNED.parse(answer.json), exit: answer.exit, text: answer.text() }
}

test('a precision is planned once its drop is shown to be within the margin', async () => {
  const quality = { suite: 'sums', margin: 0.05, model: 'chat' }
  const before = planned({ precisions: ['int4'], quality })
  expect(before.exit).toBe(3)
  expect(before.plans).toEqual([])
  expect(before.text).toContain('"ironlaw calibrate quality REFERENCE CANDIDATE --model chat --precision int4" keeps the drop')
  await calibrateQuality(at('before'), [at('after')], { cache: 'bf16', precision: ['int4'] })
  const after = planned({ precisions: ['int4'], quality })
  expect(after.exit).toBeUndefined()
  expect(after.plans[0]?.quality?.measured).toMatchObject([{ suite: 'sums', drop: 0.004, low: -0.0133822, high: 0.0226667, items: 250 }])
  expect(after.text).toContain('Quality: int4 scores 0.40 points below bf16 on sums (-1.34 to 2.27, 250 items), within the margin of 5.00.')
})

test('what is undecided is left out, and the reference is served instead', async () => {
  await calibrateQuality(at('before'), [at('after')], { cache: 'bf16', precision: ['int4'] })
  const { plans, quality, text } = planned({})
  expect(plans.map(({ precision }) => precision)).toEqual(['bf16'])
  expect(quality).toEqual([
    { precision: 'bf16', verdict: 'reference' },
    { precision: 'fp8', verdict: 'undecided' },
    { precision: 'int4', verdict: 'undecided', items_needed: 2420 },
  ])
  expect(text).toContain('not planned: int4 scores 0.40 points')
  expect(text).toContain('not planned: fp8 undecided: chat with a bf16 cache was not measured against bf16 on sums')
})

test('the front of quality has each precision with its cost, kept or not', async () => {
  await calibrateQuality(at('before'), [at('after')], { cache: 'bf16', precision: ['int4'] })
  const traffic = { requests_per_s: 400, input_tokens: 1000, output_tokens: 200 }
  const answer = planServingAnswer(specWith({ traffic }), { top: '1', pareto: true })
  const { quality_front: front } = z
    .object({ quality_front: z.array(z.object({ precision: z.string(), plan: SERVING_PLAN, beaten_by: z.string().exactOptional() })) })
    .parse(answer.json)
  expect(front.map(({ precision, plan, beaten_by }) => [precision, plan.devices, beaten_by])).toEqual([
    ['fp8', 5, undefined],
    ['bf16', 6, undefined],
    ['int4', 6, 'bf16'],
  ])
  expect(answer.text()).toContain('no, undecided; bf16 beats it')
  expect(planServingAnswer(specWith({ quality: undefined }), { top: '1', pareto: true }).json).not.toHaveProperty('quality_front')
})

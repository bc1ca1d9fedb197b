import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { planServingAnswer } from './plan-serving.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-plan-serving-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const CHAT = {
  apiVersion: 'ironlaw/v1',
  kind: 'Serve',
  name: 'chat',
  model: 'Llama-3.3-70B-Instruct',
  traffic: { requests_per_s: 10, input_tokens: 1000, output_tokens: 500 },
  objectives: { ttft: '1 s', tpot: '30 ms' },
  accelerators: ['h100-sxm'],
  precisions: ['fp8'],
  layout: { tensor: 2 },
  disaggregated: 'never',
}

const PLANS = z.object({ plans: z.array(z.object({ devices: z.number() })) })
const POOL = z.object({ replicas: z.number(), layout: z.object({ pipeline: z.number() }) })
const DAY = z.object({
  plans: z.array(z.object({ spare: z.number(), pools: z.array(POOL) })),
  day: z.object({
    hours: z.array(z.object({ most: z.number() })),
    held: z.object({ replica_h: z.number(), attained: z.number() }),
  }),
})
const TIERED_DAY = z.object({
  plans: z.array(
    z.object({
      pools: z.array(z.object({ replicas: z.number(), tiers: z.object({ cached: z.number() }) })),
      prediction: z.object({ attained: z.number() }),
    }),
  ),
  day: DAY.shape.day,
})

function writeSpec(name: string, over: object): string {
  const path = join(folder, `${name}.json`)
  writeFileSync(path, JSON.stringify({ ...CHAT, ...over }))
  return path
}

const planText = (path: string): string => planServingAnswer(path, { top: '1' }).text()

const devicesFor = (over: object): number =>
  PLANS.parse(planServingAnswer(writeSpec('devices', over), { top: '1' }).json).plans[0]?.devices ?? Number.NaN

test('a plan says who carries the load, how sure it is, and what it leaves beside that', () => {
  const text = planText(writeSpec('chat', {}))
  expect(text).toMatch(/\d+ replicas carry the load, 1 spare\./)
  expect(text).toMatch(
    /90 % intervals: TTFT [\d.]+ m?s to [\d.]+ m?s, TPOT [\d.]+ ms to [\d.]+ ms\. TTFT includes 30 ms outside the engine\./,
  )
  expect(text).toMatch(/They hold the objectives up to [\d.]+ requests\/s, with p90 TTFT/)
  expect(text).toContain('per M output tokens')
  expect(text).toContain('held with 90 % probability')
  expect(planText(writeSpec('none', { spare: 0 }))).toContain('carry the load, no spare.')
})

test('an accelerator without measurements is marked', () => {
  expect(planText(writeSpec('borrowed', { accelerators: ['mi300x'] }))).toMatch(/mi300x \*[^]*\* no kernel measurements of mi300x/)
})

test('where nothing is likely enough, the likeliest is named', () => {
  const { exit, text } = planServingAnswer(writeSpec('tight', { objectives: { ttft: '220 ms', tpot: '30 ms' } }), { top: '1' })
  expect(exit).toBe(3)
  expect(text()).toMatch(/no shape tried holds the objectives with 90 % probability; \d+ x h100-sxm .* hold them with [5-8]\d %/)
})

test('what prompts share, and the limit of the gateway, count in the size', () => {
  const long = { ...CHAT.traffic, requests_per_s: 4, input_tokens: 6000, output_tokens: 50 }
  const objectives = { ttft: '3 s', tpot: '80 ms' }
  expect(devicesFor({ traffic: { ...long, cachedPrompt: 0.9 }, objectives })).toBeLessThan(devicesFor({ traffic: long, objectives }))
  const deploy = { program: ['engine'] }
  expect(devicesFor({ deploy: { ...deploy, max_running: 4 } })).toBeGreaterThan(devicesFor({ deploy }))
})

test('a day counts whole replicas, whatever stages they have', () => {
  const daily = Array.from({ length: 24 }, (_, hour) => (hour < 20 ? 0.05 : 1))
  const path = writeSpec('day', {
    traffic: { requests_per_s: 2, input_tokens: 4000, output_tokens: 60, daily },
    objectives: { ttft: '4 s', tpot: '100 ms' },
    layout: { tensor: 1, pipeline: 2 },
    deploy: { program: ['engine'], max_running: 400 },
  })
  const { plans, day } = DAY.parse(planServingAnswer(path, { top: '1' }).json)
  const peak = plans[0]!.pools[0]!.replicas - plans[0]!.spare
  expect(plans[0]!.pools[0]!.layout.pipeline).toBe(2)
  expect(day.held.replica_h / 24).toBeCloseTo(peak, 1)
  expect(day.held.attained).toBeGreaterThan(0.5)
  expect(Math.max(...day.hours.map(({ most }) => most))).toBeLessThanOrEqual(peak)
})

test('a day finds as much of its prompts as the tiers of the plan hold', () => {
  const daily = Array.from({ length: 24 }, (_, hour) => (hour === 12 ? 1 : 0))
  const path = writeSpec('tiers', {
    traffic: { requests_per_s: 4, input_tokens: 8000, output_tokens: 50, cachedPrompt: 0.9, daily },
    objectives: { ttft: '3 s', tpot: '60 ms', percentile: 'p50', probability: 0.5 },
    offload: { host: '1 GB', reuseAfter: '1 h' },
    spare: 0,
    deploy: { program: ['engine'], max_running: 400 },
  })
  const { plans, day } = TIERED_DAY.parse(planServingAnswer(path, { top: '1' }).json)
  expect(plans[0]!.pools[0]!.tiers.cached).toBeLessThan(0.3)
  // All of it found on the device, nobody would wait.
  expect(day.held.attained).toBeLessThan(0.95)
})

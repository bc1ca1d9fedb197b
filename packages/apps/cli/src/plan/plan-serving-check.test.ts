import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planServing } from '@ironlaw/planner'
import { drawnArrivals, fixedLength, simulateServing } from '@ironlaw/simulator/serving'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { catalogFor } from '../catalog/catalog-source.ts'
import { readServing } from './serve-source.ts'
import { planServingAnswer } from './plan-serving.ts'
import { replicaRule } from '../simulate/simulate-serve-replica.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-plan-check-'))
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

const SIMULATED = z.object({ simulated: z.object({ whole: z.object({ attained: z.number() }) }) })
const POOL = z.object({ replicas: z.number(), layout: z.object({ pipeline: z.number() }) })
const DAY = z.object({
  plans: z.array(z.object({ spare: z.number(), pools: z.array(POOL) })),
  day: z.object({
    hours: z.array(z.object({ most: z.number() })),
    held: z.object({ replica_h: z.number(), attained: z.number() }),
  }),
})

function writeSpec(name: string, over: object): string {
  const path = join(folder, `${name}.json`)
  writeFileSync(path, JSON.stringify({ ...CHAT, ...over }))
  return path
}

const planText = (path: string): string => planServingAnswer(path, { top: '1' }).text()

test('a plan whose percentile is missed with varying lengths says so, with both figures', () => {
  const long = { traffic: { requests_per_s: 1, input_tokens: 100_000, output_tokens: 300 }, objectives: { ttft: '20 s', tpot: '60 ms' } }
  const path = writeSpec('long', { ...long, layout: { tensor: 8 } })
  expect(planText(path)).toMatch(/A simulation contradicts this plan: p90 is [\d.]+ s to the first token \(planned [\d.]+ m?s\)/)
  expect(planServingAnswer(path, { top: '1' }).json).toMatchObject({ simulated: { requests: 6000 } })
  expect(planText(writeSpec('spare', {}))).toContain('contradicts this plan: without the spare replica p90 is')
  expect(planText(writeSpec('easy', { objectives: { ttft: '5 s', tpot: '30 ms' }, spare: 3 }))).toContain('without the 3 spare replicas')
})

test('the shared prefix of prompts counts in the simulation too', () => {
  const prefix = { ...CHAT.traffic, requests_per_s: 4, input_tokens: 6000, output_tokens: 50, cachedPrompt: 0.9 }
  expect(planText(writeSpec('prefix', { traffic: prefix, objectives: { ttft: '2 s', tpot: '80 ms' } }))).not.toContain('contradicts')
})

test('the limit of the gateway counts in the simulation too', () => {
  const attained = (over: object): number => {
    const { simulated } = SIMULATED.parse(planServingAnswer(writeSpec('limited', over), { top: '1' }).json)
    return simulated.whole.attained
  }
  const deploy = { program: ['engine'] }
  const limited = { deploy: { ...deploy, max_running: 4 } }
  expect(attained(limited)).toBeLessThan(0.5 * attained({ deploy }))
  expect(planText(writeSpec('few', limited))).toMatch(/planned with \d+ requests at once, but deploy\.max_running allows only 4\./)
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

test('where lengths are equal, as the closed form has them, plan and simulation agree', () => {
  const catalog = catalogFor(undefined)
  const { wanted } = readServing(catalog, writeSpec('equal', { spare: 0 }))
  const [plan] = planServing(catalog, wanted).plans
  const [pool] = plan!.pools
  const { replica } = replicaRule(catalog, {
    deployment: { ...plan!, model: '', architecture: wanted.architecture },
    pool: pool!,
    prefixTokens: undefined,
  })
  const { requests_per_s, input_tokens, output_tokens } = plan!.traffic
  const lengths = { prompt: fixedLength(input_tokens), output: fixedLength(output_tokens) }
  const arrivals = drawnArrivals({ requests_per_s, burstiness: 1, ...lengths, count: 6000, seed: 1 })
  const { tpot_s, ttft_s } = simulateServing({ replica, replicas: pool!.replicas, router: 'two-choices' }, arrivals, { seed: 1 })
  expect(tpot_s.p90 / plan!.prediction.tpot_s).toBeCloseTo(1, 1)
  expect(ttft_s.p90 / plan!.prediction.ttft_s).toBeLessThan(1.4)
})

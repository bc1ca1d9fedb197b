// Every field of a serving spec is read by `simulate serve` with an effect in the right direction, or decided by the planner, whose plan is
// simulated, or reported as not simulated, or irrelevant to requests in flight.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveSpecSchema } from '@ironlaw/contracts/serve-spec'
import { planServing } from '@ironlaw/planner'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { catalogFor } from '../catalog/catalog-source.ts'
import { readServing } from '../plan/serve-source.ts'
import { simulateServeAnswer } from './simulate-serve.ts'
import type { SimulateServeFlags } from './simulate-serve-flags.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-simulate-fields-'))
  const line = (at: number): string => `{"timestamp": ${1000 * at}, "input_length": 900, "output_length": 20, "hash_ids": [${at}]}`
  writeFileSync(join(folder, 'trace.jsonl'), [0, 1, 2].map(line).join('\n'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const TRAFFIC = { requests_per_s: 8, input_tokens: 2000, output_tokens: 200 }
const BASE = {
  apiVersion: 'ironlaw/v1',
  kind: 'Serve',
  name: 'chat',
  model: 'Llama-3.1-8B',
  traffic: TRAFFIC,
  objectives: { ttft: '1 s', tpot: '30 ms' },
  accelerators: ['h100-sxm'],
  precisions: ['bf16'],
  layout: { tensor: 1, pipeline: 1 },
  disaggregated: 'never',
}
const FLAGS: SimulateServeFlags = {
  tensor: '1',
  precision: 'bf16',
  burstiness: '1',
  speed: '1',
  requests: '1200',
  router: 'two-choices',
  repair: '10min',
  seed: '1',
}

const FELT = z.object({ mean: z.number(), p90: z.number() })
const OUTCOME = z.looseObject({
  requests: z.number(),
  plan: z.string(),
  ttft_s: FELT,
  tpot_s: FELT,
  latency_s: FELT,
  attained: z.number(),
  busy: z.number(),
  replica_s: z.number(),
  duration_s: z.number(),
  cached: z.number(),
  predicted: z.object({ percentile: z.string() }),
  not_simulated: z.array(z.string()).optional(),
})
type Outcome = z.infer<typeof OUTCOME>

let specsWritten = 0
function specFile(over: object): string {
  const path = join(folder, `${(specsWritten += 1)}.json`)
  writeFileSync(path, JSON.stringify({ ...BASE, ...over }))
  return path
}
const simulate = (over: object, flags: Partial<SimulateServeFlags> = {}): Outcome =>
  OUTCOME.parse(simulateServeAnswer(specFile(over), { ...FLAGS, ...flags }).json)

const traffic = (over: object): object => ({ traffic: { ...TRAFFIC, ...over } })
const deploy = (over: object): object => ({ deploy: { program: ['engine'], ...over } })
const SCALING = { min: 1, max: 4, tokens_per_s: 4000, cold_start_s: 5, down_after_s: 20 }
const scaling = (over: object): object => deploy({ replicas: 4, scaling: { ...SCALING, ...over } })
const adapted = (over: object): object => ({ adapters: { count: 32, ...over } })
const offloaded = (over: object): object => ({
  ...traffic({ cachedPrompt: 0.8 }),
  offload: { host: '60 GB', reuseAfter: '30 min', ...over },
})
const DAILY = Array.from({ length: 24 }, () => 1)

type Case = {
  readonly of: (outcome: Outcome) => number
  readonly from: object
  readonly to: object
  readonly goes: 'up' | 'down'
  readonly flags?: Partial<SimulateServeFlags>
}

const ttft = ({ ttft_s }: Outcome): number => ttft_s.p90
const tpot = ({ tpot_s }: Outcome): number => tpot_s.mean
const LONG = { ...traffic({ input_tokens: 8000, requests_per_s: 2 }), objectives: { ttft: '3 s', tpot: '60 ms' } }
const TWO = { replicas: '2' }

const READ: Readonly<Record<string, Case>> = {
  'traffic.requests_per_s': { of: ttft, from: traffic({}), to: traffic({ requests_per_s: 14 }), goes: 'up', flags: TWO },
  'traffic.input_tokens': { of: ttft, from: traffic({}), to: traffic({ input_tokens: 4000 }), goes: 'up', flags: TWO },
  'traffic.output_tokens': {
    of: ({ latency_s }) => latency_s.mean,
    from: traffic({}),
    to: traffic({ output_tokens: 400 }),
    goes: 'up',
    flags: TWO,
  },
  'traffic.cachedPrompt': { of: ttft, from: traffic({}), to: traffic({ cachedPrompt: 0.8 }), goes: 'down', flags: TWO },
  'objectives.ttft': {
    of: ({ attained }) => attained,
    from: { objectives: { ttft: '1 s', tpot: '1 s' } },
    to: { objectives: { ttft: '600 ms', tpot: '1 s' } },
    goes: 'down',
    flags: { replicas: '1', rate: '14' },
  },
  'objectives.tpot': {
    of: ({ attained }) => attained,
    from: {},
    to: { objectives: { ttft: '1 s', tpot: '14 ms' } },
    goes: 'down',
    flags: TWO,
  },
  model: { of: tpot, from: { model: 'Llama-3.2-1B' }, to: {}, goes: 'up', flags: TWO },
  accelerators: { of: tpot, from: {}, to: { accelerators: ['a100-80gb-sxm'] }, goes: 'up', flags: TWO },
  precisions: { of: tpot, from: {}, to: { precisions: ['fp8'] }, goes: 'down', flags: TWO },
  cache: {
    of: tpot,
    from: { ...LONG, cache: 'bf16' },
    to: { ...LONG, cache: 'fp8' },
    goes: 'down',
    flags: TWO,
  },
  spare: { of: ({ busy }) => busy, from: { spare: 0 }, to: { spare: 3 }, goes: 'down' },
  coldStart: {
    of: ttft,
    from: { coldStart: '1 s' },
    to: { coldStart: '60 s' },
    goes: 'up',
    flags: { replicas: '1', autoscale: '4', rate: '25' },
  },
  'layout.tensor': { of: tpot, from: {}, to: { layout: { tensor: 4 } }, goes: 'down', flags: TWO },
  'speculation.acceptance': {
    of: tpot,
    from: { speculation: { method: 'eagle3', acceptance: 0.2 } },
    to: { speculation: { method: 'eagle3', acceptance: 0.8 } },
    goes: 'down',
    flags: TWO,
  },
  'speculation.draftedTokens': {
    of: tpot,
    from: { speculation: { method: 'eagle3', acceptance: 0.9, draftedTokens: 1 } },
    to: { speculation: { method: 'eagle3', acceptance: 0.9, draftedTokens: 4 } },
    goes: 'down',
    flags: TWO,
  },
  'speculation.method': {
    of: tpot,
    from: { speculation: { method: 'ngram', acceptance: 0.5 } },
    to: { speculation: { method: 'eagle3', acceptance: 0.5 } },
    goes: 'up',
    flags: TWO,
  },
  'speculation.model': {
    of: tpot,
    from: { speculation: { method: 'ngram', acceptance: 0.5 } },
    to: { speculation: { method: 'draft', model: 'Llama-3.2-1B', acceptance: 0.5 } },
    goes: 'up',
    flags: TWO,
  },
  'adapters.count': {
    of: ttft,
    from: adapted({ activePerBatch: 2, count: 2 }),
    to: adapted({ activePerBatch: 2, count: 200 }),
    goes: 'up',
    flags: TWO,
  },
  'adapters.rank': { of: tpot, from: adapted({ rank: 8 }), to: adapted({ rank: 128 }), goes: 'up', flags: TWO },
  'adapters.targets': { of: tpot, from: adapted({ targets: ['attention'] }), to: adapted({}), goes: 'up', flags: TWO },
  'adapters.activePerBatch': {
    of: tpot,
    from: adapted({ rank: 128, activePerBatch: 1 }),
    to: adapted({ rank: 128 }),
    goes: 'up',
    flags: TWO,
  },
  'offload.host': {
    of: ({ cached }) => cached,
    from: offloaded({ host: '5 GB' }),
    to: offloaded({ host: '60 GB' }),
    goes: 'up',
    flags: TWO,
  },
  'offload.drive': {
    of: ({ cached }) => cached,
    from: offloaded({ host: '5 GB' }),
    to: offloaded({ host: '5 GB', drive: '200 GB' }),
    goes: 'up',
    flags: TWO,
  },
  'offload.reuseAfter': { of: ({ cached }) => cached, from: offloaded({}), to: offloaded({ reuseAfter: '4 h' }), goes: 'down', flags: TWO },
  'deploy.replicas': { of: ({ busy }) => busy, from: deploy({ replicas: 1 }), to: deploy({ replicas: 4 }), goes: 'down' },
  'deploy.max_running': { of: ttft, from: deploy({ replicas: 2 }), to: deploy({ replicas: 2, max_running: 4 }), goes: 'up' },
  'deploy.scaling': {
    of: ({ replica_s }) => replica_s,
    from: deploy({ replicas: 4 }),
    to: scaling({ tokens_per_s: 40_000 }),
    goes: 'down',
  },
  'deploy.scaling.min': {
    of: ({ replica_s }) => replica_s,
    from: scaling({ tokens_per_s: 40_000 }),
    to: scaling({ tokens_per_s: 40_000, min: 4 }),
    goes: 'up',
  },
  'deploy.scaling.max': {
    of: ttft,
    from: scaling({ max: 4, tokens_per_s: 2000 }),
    to: scaling({ max: 1, tokens_per_s: 2000 }),
    goes: 'up',
  },
  'deploy.scaling.tokens_per_s': {
    of: ({ replica_s }) => replica_s,
    from: scaling({ tokens_per_s: 40_000 }),
    to: scaling({ tokens_per_s: 4000 }),
    goes: 'up',
  },
  'deploy.scaling.covered': {
    of: ({ replica_s }) => replica_s,
    from: scaling({ tokens_per_s: 9000, covered: 0.5 }),
    to: scaling({ tokens_per_s: 9000, covered: 0.99 }),
    goes: 'up',
  },
  'deploy.scaling.down_after_s': {
    of: ({ replica_s }) => replica_s,
    from: scaling({ tokens_per_s: 40_000 }),
    to: scaling({ tokens_per_s: 40_000, down_after_s: 60 }),
    goes: 'up',
  },
}

test.each(Object.entries(READ))('%s is read', (_, { of, from, to, goes, flags = {} }) => {
  const [before, after] = [of(simulate(from, flags)), of(simulate(to, flags))]
  if (goes === 'up') expect(after).toBeGreaterThan(before)
  else expect(after).toBeLessThan(before)
})

test('scaling counts whole replicas, whatever stages they have', () => {
  const staged = { layout: { tensor: 1, pipeline: 2 }, spare: 0 }
  const within = (max: number): number => {
    const { replica_s, duration_s } = simulate({ ...staged, ...scaling({ min: max, max, tokens_per_s: 1 }) })
    return replica_s / duration_s
  }
  expect(within(2)).toBeCloseTo(2, 0)
  expect(within(4)).toBeCloseTo(4, 0)
})

test('traffic.trace is replayed, unless a rate is given', () => {
  const spec = traffic({ trace: join(folder, 'trace.jsonl') })
  expect(simulate(spec).requests).toBe(3)
  expect(simulate(spec, { rate: '5' }).requests).toBe(1200)
})

test('traffic.daily is reported as not simulated here', () => {
  expect(simulate(traffic({ daily: DAILY })).not_simulated).toEqual([expect.stringContaining('traffic.daily: this is the peak')])
  expect(simulate({}).not_simulated).toBeUndefined()
})

/** Fields that the planner decides by: the simulated plan is the one that `ironlaw plan` shows first. */
const PLANNED: Readonly<Record<string, object>> = {
  engine: { engine: 'sglang' },
  goal: { goal: 'devices', accelerators: ['h100-sxm', 'b200'] },
  price: { price: '$7.50/h' },
  quality: { precisions: ['bf16', 'fp8'], quality: { suite: 'sums', margin: 0.01 } },
  disaggregated: { disaggregated: 'only' },
  'objectives.percentile': { objectives: { ttft: '1 s', tpot: '30 ms', percentile: 'p99' } },
  'objectives.probability': { objectives: { ttft: '1 s', tpot: '30 ms', probability: 0.6 } },
  'layout.pipeline': { layout: { tensor: 1, pipeline: 2 } },
  'layout.data': { model: 'Qwen3-30B-A3B', layout: { tensor: 1, data: 2, expert: 2 } },
  'layout.expert': { model: 'Qwen3-30B-A3B', layout: { tensor: 1, data: 4, expert: 4 } },
}

test.each(Object.entries(PLANNED))('%s is in the plan that is simulated', (_, over) => {
  const catalog = catalogFor(undefined)
  const [plan] = planServing(catalog, readServing(catalog, specFile(over)).wanted).plans
  const outcome = simulate(over)
  expect(outcome.plan).toBe(plan?.id)
  expect(outcome.plan).not.toBe(simulate({}).plan)
  expect(outcome.predicted.percentile).toBe(plan?.objectives.percentile)
})

/** How a deployment is started, rolled out and accounted for, and a scaler's wait, which never ends under a steady load. */
const NO_CONCERN = new Set([
  'apiVersion',
  'kind',
  'name',
  ...[
    'program',
    'directory',
    'environment',
    'secrets',
    'model',
    'version',
    'release',
    'processes',
    'project',
    'team',
    'rollout',
    'probes',
    'limits',
    'engine',
  ].map((each) => `deploy.${each}`),
  ...['cold_start_s', 'drain_s', 'idle_s'].map((each) => `deploy.scaling.${each}`),
])
const BLOCKS = new Set(['traffic', 'objectives', 'layout', 'speculation', 'adapters', 'offload', 'deploy'])

test('no field is forgotten', () => {
  const properties = (of: object): Record<string, object> =>
    z.looseObject({ properties: z.record(z.string(), z.looseObject({})).default({}) }).parse(of).properties
  const top = properties(serveSpecSchema())
  const fields = Object.entries(top).flatMap(([name, schema]) =>
    BLOCKS.has(name) ? Object.keys(properties(schema)).map((inner) => `${name}.${inner}`) : [name],
  )
  const scaled = Object.keys(properties(properties(top['deploy'] ?? {})['scaling'] ?? {})).map((name) => `deploy.scaling.${name}`)
  const known = new Set([...Object.keys(READ), ...Object.keys(PLANNED), 'traffic.trace', 'traffic.daily', ...NO_CONCERN])
  expect([...fields, ...scaled].filter((field) => !known.has(field))).toEqual([])
  expect(scaled.length).toBeGreaterThan(5)
})

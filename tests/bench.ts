// `npm run bench`: what a law call, an explanation and a model import cost. Each figure is processor time, the median of
// several rounds in one process; machines are shared and noisy, so the ratio to an empty loop is printed next to the time.

import { explain } from '@ironlaw/laws'
import { modelTrainingTime } from '@ironlaw/laws/compute/training'
import { youngDaly } from '@ironlaw/laws/reliability/young-daly'
import { builtInModel, importConfig, operatorList, parameterCounts } from '@ironlaw/models'
import { builtInCatalog } from '@ironlaw/catalog'
import { machineFor, PLAIN, POLICIES, profileOf, RUNTIMES, search, stepTime, worstMemory } from '@ironlaw/planner'
import { holdModel, scaleCampaign, simulate } from '@ironlaw/simulator'
import { DAY, givenValue, quantity } from '@ironlaw/units'

const ROUNDS = 9
const ROUND_NS = 40e6

/** Seconds of processor time: others may use the machine meanwhile. */
function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** Median nanoseconds of one call; `work` returns a number so that the call cannot be dropped. */
function costNs(work: (index: number) => number): number {
  let sink = 0
  const round = (calls: number): number => {
    const time = cpuSeconds(() => {
      for (let index = 0; index < calls; index += 1) sink += work(index)
    })
    return Math.max(1, 1e9 * time) / calls
  }
  const calls = Math.max(1, Math.ceil(ROUND_NS / round(1000)))
  const costs = Array.from({ length: ROUNDS }, () => round(calls)).toSorted((a, b) => a - b)
  if (Number.isNaN(sink)) throw new Error('a benchmarked call gave no number')
  return costs[Math.floor(ROUNDS / 2)] ?? Number.NaN
}

const known = { writeTime: givenValue(120, 's'), mtbf: givenValue(14_400, 's') }
const run = {
  params: givenValue(405e9, '1'),
  tokens: givenValue(15.6e12, 'token'),
  devices: givenValue(16_384, '1'),
  peakFlops: givenValue(989.4e12, 'FLOP/s'),
  efficiency: givenValue(0.4, '1'),
}
const config = builtInModel('Llama-3.1-405B')?.config

function importedWidth(): number {
  const result = importConfig(config)
  if (!result.ok) throw new Error(result.problem)
  return result.architecture.width
}

function parameterTotal(): number {
  const result = importConfig(config)
  return result.ok ? parameterCounts(result.architecture).total : Number.NaN
}

function operatorCount(): number {
  const result = importConfig(config)
  return result.ok
    ? operatorList(result.architecture, { batch: 1, tokens: 8192, context: 0, precision: { weight: 2, activation: 2, cache: 2 } }).length
    : Number.NaN
}

const benches: readonly (readonly [string, (index: number) => number])[] = [
  ['empty loop', (index) => index],
  ['law, bare: youngDaly.of', (index) => youngDaly.of({ writeTime: quantity(120 + index, 's'), mtbf: quantity(14_400, 's') })],
  [
    'composite, bare: modelTrainingTime.of',
    (index) =>
      modelTrainingTime.of({
        params: quantity(405e9 + index, '1'),
        tokens: quantity(15.6e12, 'token'),
        devices: quantity(16_384, '1'),
        peakFlops: quantity(989.4e12, 'FLOP/s'),
        efficiency: quantity(0.4, '1'),
      }),
  ],
  ['law, explained', () => explain(youngDaly, known).value],
  ['composite, explained', () => explain(modelTrainingTime, run).value],
  ['import of Llama-3.1-405B', importedWidth],
  ['import and exact parameter count', parameterTotal],
  ['import and operator list', operatorCount],
]

const dense = importConfig(builtInModel('gpt-3-175b')?.config)
if (!dense.ok) throw new Error(dense.problem)
const bf16 = POLICIES['bf16-mixed']
const setup = {
  job: {
    architecture: dense.architecture,
    sequence: 2048,
    globalBatch: 1536,
    policy: bf16,
    attention: 'flash',
    dropout: false,
    loss: 'fused',
    dummyGradients: false,
  },
  machine: machineFor(builtInCatalog, { accelerator: 'a100-80gb-sxm', policy: bf16, runtime: RUNTIMES['megatron-core'] }),
} as const
const strategy = { ...PLAIN, tensor: 8, sequenceParallel: true, pipeline: 8, data: 8, shards: 'optimizer' } as const
const profile = profileOf(setup, strategy)

const results = [
  ...benches,
  [
    'one strategy of a search: memory and time',
    () => worstMemory(setup.job, strategy, profile.memories).likely + stepTime(setup, strategy, profile).total,
  ] as const,
].map(([name, work]) => ({ name, microseconds: costNs(work) / 1000 }))
const empty = results[0]?.microseconds ?? Number.NaN
for (const { name, microseconds } of results)
  console.log(
    `${name.padEnd(40)} ${microseconds.toPrecision(3).padStart(10)} us ${(microseconds / empty).toPrecision(3).padStart(10)} x empty loop`,
  )

type Problem = { readonly model: string; readonly devices: number; readonly batch: number; readonly sequence: number; readonly on: string }

const PROBLEMS: readonly Problem[] = [
  { model: 'Llama-3.1-405B', devices: 16_384, batch: 2048, sequence: 8192, on: 'h100-sxm' },
  { model: 'megatron-530b', devices: 5120, batch: 2520, sequence: 2048, on: 'a100-80gb-sxm' },
  { model: 'gpt-3-175b', devices: 512, batch: 15_360, sequence: 2048, on: 'a100-80gb-sxm' },
]

/** A whole search on one core, from a cold profile: what `ironlaw plan` waits for. */
function searchSummary({ model, devices, batch, sequence, on }: Problem): string {
  const result = importConfig(builtInModel(model)?.config)
  if (!result.ok) throw new Error(result.problem)
  const policy = POLICIES['bf16-mixed']
  const job = {
    architecture: result.architecture,
    sequence,
    globalBatch: batch,
    policy,
    attention: 'flash',
    dropout: false,
    loss: 'fused',
    dummyGradients: false,
  } as const
  const machine = machineFor(builtInCatalog, { accelerator: on, policy, runtime: RUNTIMES['megatron-core'] })
  let found = { tried: 0, fitting: 0 }
  const time = cpuSeconds(() => {
    found = search({ machine, job }, { fleet: { devices, perNode: 8 }, limits: { memory_bytes: 80e9, keep: 5 } })
  })
  const { tried, fitting } = found
  return (
    `search: ${model} on ${devices} x ${on}`.padEnd(50) +
    ` ${time.toFixed(2)} s, ${tried} legal strategies (${fitting} fit), ${Math.round(tried / time)} a second`
  )
}

for (const problem of PROBLEMS) console.log(searchSummary(problem))

const EVENTS = 5e6
console.log(
  `event kernel, 64 pending`.padEnd(50),
  `${(EVENTS / 1e6 / cpuSeconds(() => holdModel(EVENTS, 64))).toFixed(1)} million events a second`,
)

const REPLICAS = 10
for (const accelerators of [1e2, 1e3, 1e4, 1e5, 1e6]) {
  let failures = 0
  const time = cpuSeconds(() => {
    const outcome = simulate(scaleCampaign(accelerators), { replicas: REPLICAS, seed: 1 })
    failures = REPLICAS * outcome.failures.reduce((sum, each) => sum + each, 0)
  })
  console.log(
    `simulated failures of ${accelerators.toLocaleString('en')} accelerators`.padEnd(50),
    `${((1e6 * time) / failures).toFixed(1)} us each, ${time.toFixed(2)} s for ${REPLICAS} campaigns`,
  )
}

for (const [accelerators, replicas] of [
  [16_384, 1000],
  [1_000_000, 10],
] as const) {
  const time = cpuSeconds(() => void simulate({ ...scaleCampaign(accelerators), window_s: 54 * DAY }, { replicas, seed: 1 }))
  console.log(`${replicas} campaigns of 54 days, ${accelerators.toLocaleString('en')} accelerators`.padEnd(50), `${time.toFixed(2)} s`)
}

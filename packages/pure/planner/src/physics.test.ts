// No plan beyond physics: whatever is drawn, no resource is used beyond what it has. `npm run physics` draws 100,000 specs, half of them for
// training.

import { type Catalog, accelerator as acceleratorOf, builtInCatalog } from '@ironlaw/catalog'
import { builtInModel, importConfig } from '@ironlaw/models'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { overfilled } from './capacity.ts'
import { machineFor, memoryLimit } from './machine/machine-for.ts'
import { peakOf } from './machine/peak.ts'
import { servingCapacities } from './serving/capacities.ts'
import { candidateLayouts } from './serving/candidates.ts'
import { type Capacity, decodeCapacity, prefillCapacity, sharedCapacity } from './serving/capacity.ts'
import { measuredAccelerators } from './serving/curves.ts'
import { ENGINE_RUNTIMES, type EngineName } from './serving/engine-runtime.ts'
import { type PreparedReplica, preparedReplica } from './serving/prepared-replica.ts'
import { SERVING_PRECISIONS } from './serving/precision.ts'
import { servingMachine } from './serving/replica-design.ts'
import { illegality } from './training/search/legality.ts'
import { sampleJob } from './training/sample-job.ts'
import { devicesOf, PLAIN, type Strategy } from './training/strategy.ts'
import { trainingCapacities } from './training/time/capacities.ts'
import { type RuntimeName, RUNTIMES } from './training/time/runtimes.ts'
import { stepTime } from './training/time/step-time.ts'
import { stepFlops } from './training/time/utilization.ts'

const catalog: Catalog = builtInCatalog
const DRAWS = Number(process.env['PHYSICS_DRAWS'] ?? 400) / 2
const TIMEOUT_MS = 30_000 + 20 * DRAWS

const SERVED = ['DeepSeek-R1', 'gpt-oss-20b', 'Mistral-7B-v0.1'] as const
const MODELS = ['Llama-3.1-8B', 'Llama-3.1-70B', 'Mixtral-8x7B', 'gpt-3-175b', 'DeepSeek-V2-Lite', 'Qwen3-30B-A3B'] as const
const ACCELERATORS = ['h100-sxm', 'a100-80gb-sxm', 'b200', 'mi300x', 'tpu-v5p', 'rtx-4090', 'l40s'] as const

describe('training', () => {
  const strategies = fc.record({
    tensor: fc.constantFrom(1, 2, 4, 8),
    sequenceParallel: fc.boolean(),
    context: fc.constantFrom(1, 2, 4),
    contextBy: fc.constantFrom('ring', 'all-to-all'),
    pipeline: fc.constantFrom(1, 2, 4, 8),
    virtual: fc.constantFrom(1, 2, 4),
    data: fc.constantFrom(1, 2, 8, 32),
    microbatch: fc.constantFrom(1, 2, 4),
    recompute: fc.constantFrom('none', 'selective', 'full'),
    shards: fc.constantFrom('nothing', 'optimizer', 'gradients', 'weights'),
    optimizerOn: fc.constantFrom('device', 'device', 'host', 'nvme'),
    expert: fc.constantFrom(1, 2, 4, 8, 16),
  })
  const specs = fc.record({
    model: fc.constantFrom(...MODELS),
    accelerator: fc.constantFrom(...ACCELERATORS),
    runtime: fc.constantFrom(...(Object.keys(RUNTIMES) as RuntimeName[])),
    overlap: fc.boolean(),
    sequence: fc.constantFrom(2048, 8192, 32_768),
    globalBatch: fc.constantFrom(32, 512, 4096),
    /** From a modem to what no network has, in bytes per second. */
    port: fc.double({ min: 3, max: 12, noNaN: true }).map((exponent) => 10 ** exponent),
    strategy: strategies,
  })

  test(
    'no resource is used beyond what it has',
    () => {
      let legal = 0
      fc.assert(
        fc.property(specs, ({ model, accelerator, runtime, overlap, sequence, globalBatch, port, strategy }) => {
          const job = sampleJob(model, { sequence, globalBatch })
          const schedule = strategy.virtual > 1 ? 'interleaved' : '1f1b'
          const drawn: Strategy = { ...PLAIN, ...strategy, schedule }
          if (illegality(job, drawn, { devices: devicesOf(drawn), perNode: 8 }) !== undefined) return
          legal += 1
          const all = { tensorOverlap: 1, expertOverlap: 1, sendOverlap: 1, gradientOverlap: 1, weightOverlap: 1 }
          const software = overlap ? { ...RUNTIMES[runtime], ...all } : RUNTIMES[runtime]
          const machine = machineFor(catalog, { accelerator, policy: job.policy, runtime: software, portBandwidth: port })
          const step = stepTime({ machine, job }, drawn)
          const peak = peakOf(acceleratorOf(catalog, accelerator), job.policy)?.value ?? Number.NaN
          const use = {
            peak,
            flops: stepFlops(job, drawn).hardware / devicesOf(drawn),
            memory_bytes: 0,
            device_bytes: memoryLimit(catalog, accelerator),
          }
          expect(overfilled(trainingCapacities({ machine, job }, drawn, { step, use }))).toBeUndefined()
        }),
        { numRuns: 10 * DRAWS },
      )
      expect(legal).toBeGreaterThan(DRAWS)
    },
    TIMEOUT_MS,
  )

  test('messages between interleaved stages cost what their link takes', () => {
    const job = sampleJob('Llama-3.1-8B', { sequence: 8192, globalBatch: 128 })
    const strategy: Strategy = { ...PLAIN, tensor: 8, pipeline: 2, virtual: 8, schedule: 'interleaved', microbatch: 1 }
    const at = (portBandwidth: number): number =>
      stepTime(
        {
          machine: machineFor(catalog, { accelerator: 'h100-sxm', policy: job.policy, runtime: RUNTIMES['megatron-core'], portBandwidth }),
          job,
        },
        strategy,
      ).total
    expect(at(1e7) / at(1e8)).toBeGreaterThan(5)
    expect(at(1e6) / at(1e7)).toBeGreaterThan(9)
  })
})

describe('serving', () => {
  const architectures = Object.fromEntries(
    [...MODELS, ...SERVED].map((model) => {
      const imported = importConfig(builtInModel(model)?.config)
      if (!imported.ok) throw new Error(imported.problem)
      return [model, imported.architecture]
    }),
  )
  const specs = fc.record({
    model: fc.constantFrom(...MODELS, ...SERVED),
    accelerator: fc.constantFrom(...measuredAccelerators),
    engine: fc.constantFrom<EngineName>('vllm', 'sglang', 'tensorrt-llm'),
    precision: fc.constantFrom('bf16', 'fp8', 'int4', 'nvfp4', 'mxfp4-experts'),
    layout: fc.nat(),
    cache: fc.constantFrom('bf16', 'fp8'),
    speculation: fc.option(
      fc.record({
        method: fc.constantFrom('mtp', 'eagle', 'eagle3', 'draft', 'ngram'),
        drafted: fc.integer({ min: 1, max: 5 }),
        acceptance: fc.constantFrom(0, 0.5, 0.9),
      }),
      { nil: undefined, freq: 2 },
    ),
    adapters: fc.option(
      fc.record({
        count: fc.constantFrom(1, 100),
        rank: fc.constantFrom(8, 128),
        targets: fc.constantFrom(['attention' as const], ['attention' as const, 'mlp' as const]),
        activePerBatch: fc.constantFrom(1, 32),
      }),
      { nil: undefined, freq: 2 },
    ),
    offload: fc.option(
      fc.record({
        host_bytes: fc.constantFrom(1e9, 1e11),
        drive_bytes: fc.constantFrom(0, 1e12),
        reuseAfter_s: fc.constantFrom(1, 300, 36_000),
      }),
      { nil: undefined, freq: 2 },
    ),
    role: fc.constantFrom('all', 'prefill', 'decode'),
    port: fc.double({ min: 6, max: 12, noNaN: true }).map((exponent) => 10 ** exponent),
    input: fc.integer({ min: 1, max: 32_000 }),
    output: fc.integer({ min: 2, max: 4000 }),
    cached: fc.constantFrom(0, 0.5, 0.9),
    ttft_s: fc.double({ min: 0.05, max: 60, noNaN: true }),
    tpot_s: fc.double({ min: 0.005, max: 1, noNaN: true }),
    percentile: fc.constantFrom('mean', 'p50', 'p90', 'p99'),
  })
  const prepared = new Map<string, PreparedReplica>()

  test(
    'no replica is promised more than its devices can do',
    () => {
      let served = 0
      fc.assert(
        fc.property(
          specs,
          ({ model, accelerator, engine, precision, cache, layout: drawn, role, port, speculation, adapters, offload, ...load }) => {
            const architecture = architectures[model]
            if (!architecture) throw new Error(model)
            const layouts = candidateLayouts(architecture, servingMachine(catalog, { accelerator }).fabric.perNode)
            const layout = layouts[drawn % layouts.length]
            if (!layout) return
            const draft = { name: 'draft', architecture: architectures['Mistral-7B-v0.1'] ?? architecture }
            const mechanisms = {
              ...(speculation && { speculation: { ...speculation, ...(speculation.method === 'draft' && { draft }) } }),
              ...(adapters && { adapters }),
              ...(offload && role === 'all' && { offload }),
            }
            const key = JSON.stringify([model, accelerator, engine, precision, cache, layout, speculation, adapters, offload, role])
            const known =
              prepared.get(key) ??
              preparedReplica({
                architecture,
                machine: servingMachine(catalog, { accelerator }),
                precision: SERVING_PRECISIONS[precision],
                cache,
                runtime: ENGINE_RUNTIMES[engine],
                layout,
                ...mechanisms,
              })
            prepared.set(key, known)
            const { replica } = known
            const option = {
              ...known,
              replica: { ...replica, machine: { ...replica.machine, fabric: { ...replica.machine.fabric, portBandwidth: port } } },
            }
            const { input, output, cached, ttft_s, tpot_s, percentile } = load
            const asked = { input, output, cached, objectives: { ttft_s, tpot_s, percentile } }
            const capacity: Capacity =
              role === 'all'
                ? sharedCapacity(option, asked)
                : role === 'prefill'
                  ? prefillCapacity(option, asked, 0)
                  : decodeCapacity(option, asked)
            if (!capacity.ok || capacity.requests_per_s === 0) return
            served += 1
            const { requests_per_s, decoding, tiers } = capacity
            const used = { role, input, output, cached, requests_per_s, decoding, ...(tiers && { cached: tiers.cached, tiers }) }
            expect(overfilled(servingCapacities(option, used))).toBeUndefined()
          },
        ),
        { numRuns: DRAWS },
      )
      expect(served).toBeGreaterThan(DRAWS / 20)
    },
    TIMEOUT_MS,
  )
})

// Written entries as the planner reads them: its times must match those that the measurements were fitted to.

import { builtInCatalog, type JsonObject, withOverlay } from '@ironlaw/catalog'
import { checkedOverlay } from '@ironlaw/catalog/schema'
import { importConfig, parameterCounts } from '@ironlaw/models'
import { type Machine, machineFor, PLAIN, POLICIES, RUNTIMES, stepInterval, stepTime, type TrainingJob } from '@ironlaw/planner'
import { type Figure, type MeasuredMachine, measuredMachine, type MeasuredRow, type SharedNode } from '@ironlaw/policies/calibration'
import { checkpointPause_s, stagingOf } from '@ironlaw/simulator'
import { expect, test } from 'vitest'
import { correctionsEntry, mergedEntry, machineEntry } from './entries.ts'

const figure = (value: number): Figure => ({ value, spread: 0.03, samples: 21 })
const NODE: SharedNode = {
  products: { start_s: figure(20e-6), flop: figure(40e9), ramp: figure(12), bytes: figure(8e9) },
  attention: { start_s: figure(50e-6), flop: figure(10e9), bytes: figure(6e9), backward: figure(1.8) },
  vector: figure(2e9),
  copy: figure(11e9),
  optimizer: figure(50e6),
  launch: { forward_s: figure(0.3e-3), backward_s: figure(0.5e-3) },
  collectives: { 'all-reduce': { alpha_s: figure(200e-6), bytes: figure(1e9) } },
}

const entryOf = (sharing: MeasuredMachine['sharing'], more: JsonObject = {}): JsonObject => ({
  measured: {
    on: 'test',
    software: 'test',
    element: { is: '4 B', from: 'test 2026-11' },
    processors: { is: '1', from: 'test 2026-11' },
    ...machineEntry({ sharing, across: {} }, 'test 2026-11'),
    ...more,
  },
})

const catalogWith = (entry: JsonObject) =>
  withOverlay(builtInCatalog, checkedOverlay(builtInCatalog, { accelerators: { 'h100-sxm': entry } }, 'measured.yaml'))

const machineWith = (entry: JsonObject, perNode = 2) =>
  machineFor(catalogWith(entry), { accelerator: 'h100-sxm', policy: POLICIES.fp32, runtime: RUNTIMES['megatron-deepspeed'], perNode })

test('the pause of a checkpoint is planned as it was measured', () => {
  const row = (bytes: number): MeasuredRow => ({ measured: 'staging', bytes, ranks: 2, seconds: { test: [2e-3 + bytes / 8e9] } })
  const { sharing } = measuredMachine({ element_bytes: 4 }, [1e5, 1e7, 1e8].map(row))
  const catalog = catalogWith(entryOf(sharing))
  const pause = (perNode: number) => checkpointPause_s(stagingOf(catalog, { accelerator: 'h100-sxm', perNode }), 1e9)
  expect(pause(2)).toBeCloseTo(2e-3 + 1 / 8, 4)
  expect(pause(4)).toBeCloseTo(0.78 + 1 / 25, 4)
})

const LAYER = { sequences: 4, length: 256, width: 192, heads: 6, kv_heads: 3, inner: 512 }

function jobOf(layers: number): TrainingJob {
  const imported = importConfig({
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: 256,
    hidden_size: LAYER.width,
    num_hidden_layers: layers,
    num_attention_heads: LAYER.heads,
    num_key_value_heads: LAYER.kv_heads,
    intermediate_size: LAYER.inner,
    max_position_embeddings: LAYER.length,
    hidden_act: 'silu',
    tie_word_embeddings: false,
  })
  if (!imported.ok) throw new Error(imported.problem)
  const { architecture } = imported
  const rest = { attention: 'flash', dropout: false, loss: 'fused', dummyGradients: false } as const
  return { architecture, sequence: LAYER.length, globalBatch: LAYER.sequences, policy: POLICIES.fp32, ...rest }
}

const STRATEGY = { ...PLAIN, microbatch: LAYER.sequences }
const stepOf = (machine: Machine, layers: number) => stepTime({ machine, job: jobOf(layers) }, STRATEGY)

/** Rows that a machine with those costs would produce, with a layer of that time. */
function rowsOf(layer_s: number): readonly MeasuredRow[] {
  const seconds = (time: number) => ({ ranks: 2, seconds: { test: [time, time, time] } })
  const products = [64, 128, 256, 512, 1024].flatMap((n) => [128, 1024].flatMap((k) => [256, 2048].map((m) => ({ m, n, k }))))
  const attentions = [64, 128, 512].flatMap((length) =>
    [2, 8].map((sequences) => ({ sequences, heads: 4, kv_heads: 2, length, width: 32 })),
  )
  return [
    ...products.map(({ m, n, k }) => ({
      measured: 'product' as const,
      m,
      n,
      k,
      ...seconds(20e-6 + (2 * m * n * (k + 12)) / 40e9 + ((n * k + m * k) * 4 + 2 * m * n) / 8e9),
    })),
    ...attentions.flatMap((shape) => {
      const pairs = (shape.length * (shape.length + 1)) / 2
      const moved = shape.sequences * shape.length * shape.width * 2 * (2 * shape.heads + 4 * shape.kv_heads)
      const forward = 50e-6 + moved / 6e9 + (4 * shape.sequences * shape.heads * shape.width * pairs) / 10e9
      return [
        { measured: 'attention' as const, way: 'forward' as const, ...shape, ...seconds(forward) },
        { measured: 'attention' as const, way: 'both' as const, ...shape, ...seconds(2.8 * forward) },
      ]
    }),
    { measured: 'layer', ...LAYER, layers: 3, ...seconds(3 * layer_s) },
    { measured: 'optimizer', elements: 1e6, ...seconds(0.02) },
  ]
}

test('a layer costs the planner what it was measured to take', () => {
  const layer_s = 0.2
  const { sharing } = measuredMachine({ element_bytes: 4 }, rowsOf(layer_s))
  expect(sharing['2']?.products?.flop?.value).toBeCloseTo(40e9, -9)
  const machine = machineWith(entryOf(sharing))
  const computed = (layers: number): number => {
    const { products, attention, vector, launch } = stepOf(machine, layers).causes
    return products + attention + vector + launch
  }
  expect((computed(6) - computed(3)) / 3 / layer_s).toBeCloseTo(1, 3)
  expect(stepOf(machine, 3).causes.optimizer / (0.02e-6 * parametersOf(3))).toBeCloseTo(1, 3)
})

const parametersOf = (layers: number): number => parameterCounts(jobOf(layers).architecture).total

test('the count of ranks that was measured is used, or the next above it, or the largest', () => {
  const slow = { ...NODE, products: { ...NODE.products, flop: figure(20e9) } }
  const peakAt = (ranks: number): number => machineWith(entryOf({ 1: NODE, 4: slow }), ranks).engine.peak
  expect([1, 2, 4, 8].map(peakAt)).toEqual([40e9, 20e9, 20e9, 20e9])
})

test('exchange inside a node follows the measured curve', () => {
  const { fabric } = machineWith(entryOf({ 2: NODE }))
  const fabricCurve = fabric.silicon.collectives['all-reduce']?.['2']
  expect(fabricCurve).toEqual({ alpha_s: 200e-6, beta_bytes_per_s: 1e9, ramp_s_per_root_byte: 0 })
  expect(fabric.linkBandwidth).toBe(fabric.silicon.reference.link_bytes_per_s)
})

const corrections = (compute: number, optimizer: number, runs: number): JsonObject => {
  const of = (factor: number) => ({ factor, spread: 0.3 / (1 + runs), runs })
  return { corrections: correctionsEntry({ 2: { compute: of(compute), communication: of(1), optimizer: of(optimizer) } }, 'runs 2026-11') }
}

test('a correction multiplies the times of its class and leaves the others', () => {
  const before = stepOf(machineWith(entryOf({ 2: NODE })), 3).causes
  const after = stepOf(machineWith(entryOf({ 2: NODE }, corrections(1.5, 0.8, 3))), 3).causes
  expect(after.products / before.products).toBeCloseTo(1.5, 6)
  expect(after.attention / before.attention).toBeCloseTo(1.5, 6)
  expect(after.vector / before.vector).toBeCloseTo(1.5, 1)
  expect(after.optimizer / before.optimizer).toBeCloseTo(0.8, 1)
})

test('published curves are corrected in the same way where nothing was measured', () => {
  const published = stepOf(machineWith({ tdp: { is: '700 W', from: 'test 2026-11' } }), 3).causes
  const corrected = stepOf(machineWith({ measured: { on: 'here', software: 'runs', ...corrections(1.25, 1, 2) } }), 3).causes
  expect(corrected.products / published.products).toBeCloseTo(1.25, 6)
})

test('the interval narrows as runs agree', () => {
  const widthAt = (runs: number): number => {
    const machine = machineWith(entryOf({ 2: NODE }, corrections(1.1, 1, runs)))
    const { low, high } = stepInterval({ machine, job: jobOf(3) }, STRATEGY, stepOf(machine, 3))
    return high / low
  }
  expect(widthAt(4)).toBeLessThan(widthAt(1))
  expect(widthAt(16)).toBeLessThan(widthAt(4))
})

test('a plan in another precision keeps the published curves', () => {
  const entry = entryOf({ 2: NODE })
  const choice = { accelerator: 'h100-sxm', policy: POLICIES['bf16-mixed'], runtime: RUNTIMES['megatron-deepspeed'] }
  expect(machineFor(catalogWith(entry), choice).engine).toEqual(machineFor(builtInCatalog, choice).engine)
})

test('later figures lie over earlier ones, whole', () => {
  const below = { a: { x: { is: '1', from: 'old', samples: 3 }, y: { is: '2', from: 'old' } } }
  expect(mergedEntry(below, { a: { x: { is: '3', from: 'new' } } })).toEqual({
    a: { x: { is: '3', from: 'new' }, y: { is: '2', from: 'old' } },
  })
})

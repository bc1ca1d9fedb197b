import { DATA_PLAN } from '@ironlaw/contracts/data-plan'
import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { planData } from './plan-data.ts'
import { scaledProbe } from './scaled-probe.ts'
import { simulatedProbe } from './simulated-corpus.fixture.ts'
import { changedProbe, type DataChange } from './what-if.ts'

const { probe: SMALL } = simulatedProbe({ seed: 11, groups: 2000, sizes: 'zipf', similarity: 0.9, share: 0.1, heavy: 20 })
const PROBE = scaledProbe(SMALL, 20e9)

const planOf = (probe: DataProbe, conditions = {}) => planData({ name: 'corpus', probe, conditions: { workers: 2, ...conditions } })
const predicted = (probe: DataProbe, conditions = {}) => planOf(probe, conditions).plan.prediction

test('a plan is valid, named by its content and complete', () => {
  const { plan, derivations } = planOf(PROBE, { coreHour_usd: 0.05 })
  expect(DATA_PLAN.safeParse(plan).error).toBeUndefined()
  expect(plan.id).toMatch(/^plan-[0-9a-f]{12}$/)
  expect(planOf(PROBE, { coreHour_usd: 0.06 }).plan.id).not.toBe(plan.id)
  expect(Object.keys(plan.prediction.causes_s)).toEqual(['wait', 'read', 'keep', 'deduplicate', 'write', 'cluster', 'tokenize'])
  expect(plan.prediction.left.map(({ step }) => step)).toEqual(['keep', 'deduplicate', 'tokenize'])
  expect(derivations['tokens']?.by).toMatchObject({ kind: 'law', law: 'data/cluster-sample-total' })
  expect(derivations['duration_s']?.by).toMatchObject({ kind: 'law', law: 'latency/budget' })
  expect(derivations['missed']?.by).toMatchObject({ kind: 'law', law: 'data/minhash-found-pairs', output: 'missed' })
})

test('the causes add up to the duration', () => {
  const { causes_s, duration_s } = predicted(PROBE, { workers: 64, cores: 64, storage_bytes_per_s: 50e6 })
  const sum = Object.values(causes_s).reduce((total, { value }) => total + value, 0)
  expect(sum).toBeCloseTo(duration_s.value, 6)
})

test('work of one thread is what the rates of the probe say', () => {
  const { causes_s } = predicted(PROBE, { workers: 1 })
  const { bytes } = PROBE.corpus
  // Once in full, then only what was left is parsed; storage is faster, and files are opened.
  const left = predicted(PROBE).left[1]?.bytes.value ?? 0
  expect(causes_s['read']?.value).toBeGreaterThan((1.3 * bytes + 0.7 * left) / 50e6)
  expect(causes_s['read']?.value).toBeLessThan((1.02 * (1.3 * bytes + 0.7 * left)) / 50e6 + 60)
  expect(causes_s['keep']?.value).toBeCloseTo(bytes / 40e6, 6)
})

test('finding repeated text reads twice more, and its keys are written, kept and matched', () => {
  const keys = 1e6
  const [without, found] = [PROBE, { ...PROBE, repeats: { keys, heavyKeys: 0 } }].map((probe) => predicted(probe, { workers: 1 }))
  const bytes = (12 * keys * (PROBE.corpus.bytes - PROBE.heavy.bytes)) / PROBE.sample.bytes.sum
  expect((found?.disk_bytes.value ?? 0) - (without?.disk_bytes.value ?? 0)).toBeCloseTo(bytes, -1)
  const read = (found?.causes_s['read']?.value ?? 0) / (without?.causes_s['read']?.value ?? 1)
  expect(read).toBeGreaterThan(1.5)
  expect(read).toBeLessThan(2.1)
  expect(found?.causes_s['cluster']?.value).toBeGreaterThan((without?.causes_s['cluster']?.value ?? 0) + bytes * 4e-9)
})

test('rates that finished runs showed take the place of those of the probe', () => {
  const rates = { keep: { s_per_byte: 1e-6, spread: 0.02, runs: 5 } }
  const { causes_s } = predicted(PROBE, { workers: 1, rates })
  expect(causes_s['keep']?.value).toBeCloseTo(PROBE.corpus.bytes * 1e-6, 6)
  const width = ({ low, high }: { low: number; high: number }): number => high / low
  const before = predicted(PROBE, { workers: 1 }).causes_s['keep']
  expect(width(causes_s['keep'] ?? { low: 1, high: 9 })).toBeLessThan(width(before ?? { low: 1, high: 1 }))
})

test('of a rate of runs and one of the probe the surer counts, and both the plan and its derivation say which', () => {
  const rates = {
    keep: { s_per_byte: 1e-6, spread: 0.02, runs: 5 },
    tokenize: { s_per_byte: 1e-6, spread: 0.9, runs: 1 },
    'read again': { s_per_byte: 3e-9, spread: 0.1, runs: 5 },
  }
  const { plan, derivations } = planOf(PROBE, { workers: 1, rates })
  const from = Object.fromEntries(plan.rates.map((rate) => [rate.does, [rate.cause, rate.from, rate.runs]]))
  expect(from).toEqual({
    read: ['read', 'probe', undefined],
    keep: ['keep', 'calibration', 5],
    deduplicate: ['deduplicate', 'probe', undefined],
    keys: ['write', 'assumed', undefined],
    match: ['cluster', 'assumed', undefined],
    join: ['cluster', 'assumed', undefined],
    'read again': ['read', 'calibration', 5],
    tokenize: ['tokenize', 'probe', undefined],
    'write tokens': ['write', 'assumed', undefined],
    shuffle: ['write', 'assumed', undefined],
  })
  expect(JSON.stringify(derivations['duration_s'])).toContain('keep: 20 GB at 1 MB/s a thread","asOf":"calibration of 5 runs"')
})

test('more workers than cores bring nothing, and one worker the most', () => {
  const duration = (conditions: object): number => predicted(PROBE, conditions).duration_s.value
  expect(duration({ workers: 8 })).toBeCloseTo(duration({ workers: 2 }), 9)
  expect(duration({ workers: 2 })).toBeLessThan(duration({ workers: 1 }))
})

test.each([
  ['cores', { workers: 8, cores: 8 }],
  ['storage', { workers: 1000, cores: 1000, storage_bytes_per_s: 1e6 }],
  ['partition files', { workers: 2, open_s: 10 }],
  ['start-up', { workers: 8, cores: 8, start_s: 3600 }],
  ['clustering memory', { workers: 2, memory_bytes: 10e6, workerMemory_bytes: 8e9 }],
  ['worker memory', { workers: 2, workerMemory_bytes: 1e6 }],
  ['disk', { workers: 2, disk_bytes: 1e8 }],
  ['money', { workers: 2, coreHour_usd: 100, budget_usd: 1 }],
] as const)('the first bottleneck is %s', (name, conditions) => {
  expect(predicted(PROBE, conditions).limits[0]?.name).toBe(name)
})

test('one compressed file that cannot be cut holds all workers', () => {
  const { corpus } = PROBE
  const uncut = { ...PROBE, corpus: { ...corpus, largestUnit_bytes: corpus.stored_bytes / 4 } }
  const { limits, duration_s } = predicted(uncut, { workers: 64, cores: 64 })
  expect(limits[0]).toMatchObject({ name: 'largest unit', detail: expect.stringContaining('5 GB') })
  expect(duration_s.value).toBeGreaterThan(predicted(PROBE, { workers: 1 }).duration_s.value / 5)
})

test('10 TB on 1,000 cores: the first bottleneck has a name, and cores are no longer it when storage is slow', () => {
  const large = scaledProbe(PROBE, 10e12)
  const machine = { workers: 1000, cores: 1000, memory_bytes: 256e9, workerMemory_bytes: 8e9, coreHour_usd: 0.04 }
  const slow = predicted(large, { ...machine, storage_bytes_per_s: 2e9 })
  expect(slow.limits[0]?.name).toBe('storage')
  expect(slow.duration_s.value).toBeGreaterThan(10e12 / 2e9)
  expect(slow.tokens?.value).toBeCloseTo(((predicted(PROBE).tokens?.value ?? 0) * 10e12) / PROBE.corpus.stored_bytes, -6)
  const fast = predicted(large, { ...machine, storage_bytes_per_s: 1e12, open_s: 1e-6 })
  expect(fast.limits[0]?.name).toBe('cores')
  expect(fast.duration_s.value).toBeLessThan(slow.duration_s.value)
})

test('more documents than numbers of 32 bits are named before they are run into', () => {
  const { limits } = predicted(scaledProbe(PROBE, 1e14), { workers: 1e4, cores: 1e4, memory_bytes: 1e13, workerMemory_bytes: 8e9 })
  expect(limits[0]).toMatchObject({ name: 'document numbers', detail: expect.stringContaining('of 4294967295') })
})

test('clustering binds from a size on, whatever the number of cores', () => {
  const binding = (stored_bytes: number): string | undefined =>
    predicted(scaledProbe(PROBE, stored_bytes), { workers: 1e6, cores: 1e6, memory_bytes: 64e9, workerMemory_bytes: 8e9 }).limits[0]?.name
  expect(binding(1e15)).toBe('clustering memory')
})

test('misses follow the law over the similarities of pairs', () => {
  const pairs = Array.from({ length: 20 }, (_, bin) => (bin === 16 ? 100 : bin === 12 ? 50 : 0))
  const probe = { ...PROBE, duplicates: { bands: 14, rows: 8, exact: 0, near: 10, inPairs: 20, edges: 30, pairs } }
  const expansion = (probe.corpus.documents - probe.heavy.documents) / probe.sample.documents.sum
  const { misses } = predicted(probe)
  expect(misses?.pairs).toBeCloseTo(100 * expansion, 6)
  expect(misses?.missed).toBeCloseTo(100 * expansion * (1 - 0.825 ** 8) ** 14, 6)
  expect(misses?.falseHits).toBeCloseTo(50 * expansion * (1 - (1 - 0.625 ** 8) ** 14), 6)
})

const changed = (probe: DataProbe, change: DataChange): DataProbe => {
  const answer = changedProbe(probe, change)
  if (!answer.ok) throw new Error(answer.reason)
  return answer.probe
}

test('fewer rows find more pairs, so fewer documents are left and fewer duplicates missed', () => {
  const [before, after] = [predicted(PROBE), predicted(changed(PROBE, { change: 'bands', shape: { bands: 28, rows: 4 } }))]
  expect(after.documents.value).toBeLessThan(before.documents.value)
  expect(after.misses?.missed).toBeLessThan(before.misses?.missed ?? 0)
  expect(after.misses?.falseHits).toBeGreaterThan(before.misses?.falseHits ?? 0)
  const same = predicted(changed(PROBE, { change: 'bands', shape: { bands: 14, rows: 8 } }))
  expect(same.documents.value).toBeCloseTo(before.documents.value, 6)
})

test('a threshold keeps what its histogram says, in its step and all after it', () => {
  const rule = {
    step: 'keep',
    rule: 'words',
    keeps: 'at-least',
    threshold: 50,
    edges: [0, 50, 100],
    documents: [10, 90],
    bytes: [5, 95],
  } as const
  const probe: DataProbe = { ...PROBE, rules: [rule] }
  const after = changed(probe, { change: 'rule', step: 'keep', rule: 'words', threshold: 75 })
  expect(after.steps.map(({ left }) => left.documents.sum)).toEqual(PROBE.steps.map(({ left }) => left.documents.sum / 2))
  const lower = changed(probe, { change: 'rule', step: 'keep', rule: 'words', threshold: 0 })
  expect(lower.steps[0]?.left.bytes.sum).toBeCloseTo(((PROBE.steps[0]?.left.bytes.sum ?? 0) * 100) / 95, 6)
  expect(changedProbe(probe, { change: 'rule', step: 'keep', rule: 'lines', threshold: 1 })).toEqual({
    ok: false,
    reason: 'the probe recorded no rule lines of step keep; it recorded keep words',
  })
})

property.prop([fc.integer({ min: 1, max: 2000 }), fc.double({ min: 0.1, max: 1e4, noNaN: true })], { numRuns: 50 })(
  'intervals hold their value, and a larger corpus takes no less of anything',
  (workers, factor) => {
    const conditions = { workers, cores: workers, coreHour_usd: 0.05 }
    const [small, large] = [
      predicted(PROBE, conditions),
      predicted(scaledProbe(PROBE, PROBE.corpus.stored_bytes * (1 + factor)), conditions),
    ]
    for (const figure of ['duration_s', 'disk_bytes', 'cluster_bytes', 'tokens', 'cost_usd'] as const) {
      const { value, low, high } = large[figure] ?? { value: 0, low: 0, high: 0 }
      expect(low).toBeLessThanOrEqual(value)
      expect(high).toBeGreaterThanOrEqual(value)
      expect(value).toBeGreaterThanOrEqual((small[figure]?.value ?? 0) * (1 - 1e-9))
    }
  },
)

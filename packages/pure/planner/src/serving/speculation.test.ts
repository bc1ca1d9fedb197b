import { builtInModel, importConfig } from '@ironlaw/models'
import { describe, expect, test } from 'vitest'
import { servingCapacities } from './capacities.ts'
import { servingMemory } from './memory.ts'
import { preparedReplica } from './prepared-replica.ts'
import type { ReplicaDesign } from './replica-design.ts'
import type { Speculation } from './mechanisms.ts'
import { decodeWork, prefillWork } from './steady-state.ts'
import { replicaOf } from './test-replica.ts'

const imported = importConfig(builtInModel('Llama-3.2-1B')?.config)
if (!imported.ok) throw new Error(imported.problem)
const draft = { name: 'Llama-3.2-1B', architecture: imported.architecture }

const of = (
  over: Partial<Speculation> & Pick<Speculation, 'method'>,
  replica = replicaOf({ model: 'Llama-3.1-70B', layout: { tensor: 4 } }),
): ReplicaDesign => ({
  ...replica,
  speculation: { drafted: 3, acceptance: 0.7, ...over },
})

const work = decodeWork(32, 1000)
const drafted = (replica: ReplicaDesign): number => preparedReplica(replica).step.explained(work).draft

describe('who proposes pays', () => {
  test('n-grams nothing, a head little, a model more', () => {
    expect(drafted(of({ method: 'ngram' }))).toBe(0)
    expect(drafted(of({ method: 'eagle3' }))).toBeGreaterThan(0)
    expect(drafted(of({ method: 'draft', draft }))).toBeGreaterThan(2 * drafted(of({ method: 'eagle3' })))
  })

  test('a model of its own makes first tokens later', () => {
    const first = (replica: ReplicaDesign): number => preparedReplica(replica).step.time(prefillWork(4000, 1))
    expect(first(of({ method: 'draft', draft }))).toBeGreaterThan(first(of({ method: 'ngram' })))
  })

  test('weights of 1.24 billion parameters in 16 bits over four devices, and room for its keys', () => {
    const plain = servingMemory(of({ method: 'ngram' }))
    const with1B = servingMemory(of({ method: 'draft', draft }))
    expect((with1B.weights_bytes - plain.weights_bytes) / 1e9).toBeCloseTo((2 * 1.236) / 4, 1)
    expect(with1B.token_bytes).toBeGreaterThan(plain.token_bytes)
    expect(with1B.tokens).toBeLessThan(plain.tokens)
  })

  test('layers of the model are part of its weights only where they propose', () => {
    const r1 = replicaOf({ model: 'DeepSeek-R1', accelerator: 'h200-sxm', precision: 'fp8', layout: { tensor: 8 } })
    const [plain, mtp] = [servingMemory(r1), servingMemory(of({ method: 'mtp' }, r1))]
    expect((8 * (mtp.weights_bytes - plain.weights_bytes)) / 1e9).toBeGreaterThan(11)
    expect(mtp.token_bytes / plain.token_bytes).toBeCloseTo(62 / 61, 6)
  })
})

test('tokens that are checked count in the arithmetic', () => {
  const load = { role: 'all', input: 100, output: 1000, cached: 0, requests_per_s: 1, decoding: 32 } as const
  const used = (replica: ReplicaDesign): number => servingCapacities(preparedReplica(replica), load)[0]?.share ?? 0
  const { speculation: _, ...plain } = of({ method: 'ngram' })
  // Four are checked for each step of 2.533 tokens.
  expect(used(of({ method: 'ngram' })) / used(plain)).toBeCloseTo(1 + (4 / 2.533 - 1) * (999 / 1099), 1)
})

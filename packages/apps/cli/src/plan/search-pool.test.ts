import { builtInCatalog } from '@ironlaw/catalog'
import { paretoSteps, paretoFront, type PlannedTraining } from '@ironlaw/planner'
import { describe, expect, test } from 'vitest'
import { searchInPool } from './search-pool.ts'
import { readTraining } from './train-source.ts'

const { machine, wanted } = readTraining(builtInCatalog, undefined, { model: 'Llama-3.1-70B', gpus: '128', on: 'h100-sxm', tokens: '1T' })
const setup = { machine, job: wanted.job }
const ids = (front: readonly PlannedTraining[]): readonly string[] => front.map(({ plan }) => plan.id)

describe('a search over threads', () => {
  const inline = ids(paretoFront(builtInCatalog, machine, wanted))

  test.each([
    ['with another thread from the first part on', { threads: 2, worth_ms: 0 }],
    ['too small for threads', { threads: 2, worth_ms: 1e9 }],
    ['on one processor', { threads: 1, worth_ms: 0 }],
  ])('%s finds what one thread finds', async (_, options) => {
    let tried = 0
    const front = await searchInPool(setup, paretoSteps(builtInCatalog, machine, wanted), {
      ...options,
      progress: (count) => (tried += count),
    })
    expect(ids(front)).toEqual(inline)
    expect(inline.length).toBeGreaterThan(1)
    expect(tried).toBeGreaterThan(1000)
  })

  test('finds the same when its threads die', async () => {
    const program = new URL(`data:text/javascript,${encodeURIComponent("import 'node:worker_threads'; process.exit(3)")}`)
    const front = await searchInPool(setup, paretoSteps(builtInCatalog, machine, wanted), { threads: 2, worth_ms: 0, program })
    expect(ids(front)).toEqual(inline)
  })

  test('ends its threads when planning breaks', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
    const steps = paretoSteps(builtInCatalog, machine, { ...wanted, region: 'mars' })
    await expect(searchInPool(setup, steps, { threads: 2, worth_ms: 0 })).rejects.toThrow('mars')
    expect(process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length).toBe(before)
  })
})

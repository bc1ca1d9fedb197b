import { builtInCatalog } from '@ironlaw/catalog'
import type { TrainingPlan } from '@ironlaw/contracts'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { describe, expect, test } from 'vitest'
import { expectedStall, feedingForecast } from './feeding.ts'

const samplePlan = sampleTrainingPlan()

const at = (part: Partial<TrainingPlan>, step_s = samplePlan.prediction.step_s): TrainingPlan => ({
  ...samplePlan,
  ...part,
  prediction: { ...samplePlan.prediction, step_s },
})

describe('feeding a plan', () => {
  test('counts the tokens of a step once for all readers', () => {
    const { bytes_per_s } = feedingForecast(builtInCatalog, at({ sequence: 4096, globalBatch: 100 }, 10))
    const perToken = samplePlan.model.vocabulary > 65_536 ? 4 : 2
    expect(bytes_per_s).toBeCloseTo((100 * 4097 * perToken) / 10, 6)
  })

  test('language models do not wait for tokens', () => {
    expect(feedingForecast(builtInCatalog, samplePlan)).toMatchObject({ stall_s: 0 })
    expect(expectedStall(builtInCatalog, samplePlan)).toBe(0)
  })

  test('a step that ends before its samples are read waits for the rest', () => {
    const { read_s, samples, workers, stall_s, prefetch } = feedingForecast(builtInCatalog, at({ globalBatch: 65_536 }, 0.001))
    expect(stall_s).toBeGreaterThan(0)
    expect(stall_s).toBeGreaterThanOrEqual((samples * read_s) / workers - 0.001 - 1e-12)
    expect(prefetch).toBeGreaterThan(1)
  })

  test('from an archive nothing trains', () => {
    const glacier = feedingForecast(builtInCatalog, samplePlan, 'archive-glacier')
    expect(glacier.stall_s).toBeGreaterThan(1000)
  })

  test('shorter steps never wait less', () => {
    const stalls = [10, 1, 0.1, 0.01, 0.001].map((step_s) => feedingForecast(builtInCatalog, at({ globalBatch: 65_536 }, step_s)).stall_s)
    expect(stalls).toEqual(stalls.toSorted((a, b) => a - b))
  })
})

import { describe, expect, test } from 'vitest'
import { builtInModels } from './built-in.ts'
import { checkModels } from './check.ts'
import { importConfig } from './import-config.ts'

const check = checkModels()

describe('counted parameters are the published ones', () => {
  for (const { name, published, counted, rounded, error } of check.rows) {
    test(name, () => {
      // Papers that print 174.6 B are matched to their last digit, half of 0.1 B.
      if (rounded) expect(error).toBeLessThan(5e-4)
      else expect(counted).toBe(published)
    })
  }
})

test('there are enough of them to mean something', () => {
  expect(check.models).toBeGreaterThanOrEqual(130)
  expect(check.exact).toBe(check.rows.filter((row) => !row.rounded).length)
  expect(check.worstError).toBeLessThan(5e-4)
})

test('every built-in model is read without a warning', () => {
  const warned = builtInModels.flatMap(({ name, config }) => {
    const imported = importConfig(config)
    return imported.ok && imported.warnings.length === 0 ? [] : [name]
  })
  expect(warned).toEqual([])
})

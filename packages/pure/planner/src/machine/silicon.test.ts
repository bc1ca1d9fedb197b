import { expect, test } from 'vitest'
import { siliconOf } from './silicon.ts'

const sustainedProduct = (accelerator: string): number => {
  const { gemm, sustained } = siliconOf(accelerator)
  return (gemm['bf16']?.compute ?? 0) * sustained.bf16
}

test('an accelerator that nobody measured is taken to sustain what the middle one does, not the best', () => {
  expect(siliconOf('trainium-2')).toMatchObject({ borrowed: true, unseen: true })
  expect(sustainedProduct('trainium-2')).toBeLessThan(0.8 * sustainedProduct('a100-80gb-sxm'))
  expect(sustainedProduct('trainium-2')).toBeGreaterThan(sustainedProduct('l40s'))
})

test('a sibling keeps the curve of its chip', () => {
  expect(sustainedProduct('h100-pcie')).toBe(sustainedProduct('h100-sxm'))
})

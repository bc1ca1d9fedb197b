import { expect, test } from 'vitest'
import { type ServingCurves, servingSilicon } from './curves.ts'
import { decodeTime, expertTime, latentDecodeTime, productTime, type Rates } from './kernel-times.ts'

const ratesOf = (accelerator: string, precision: 'bf16' | 'fp8' | 'fp4'): Rates => {
  const { reference, silicon } = servingSilicon(accelerator)
  return {
    peak: reference[`${precision}_flop_per_s`],
    bandwidth: reference.bandwidth_bytes_per_s,
    processors: silicon.processors,
  }
}

function requireCurve<Curve>(found: Curve | undefined): Curve {
  if (!found) throw new Error('no such curve')
  return found
}

const curvesOf = (accelerator: string): ServingCurves => servingSilicon(accelerator).curves

// Medians of six replays in the gemm tables of ai-dynamo/aiconfigurator at 095f58a (TensorRT-LLM 1.3.0rc20).
test.each([
  ['bf16', 1, 16_384, 8192, 45.9],
  ['bf16', 256, 8192, 8192, 33.9],
  ['fp8-block', 16, 16_384, 8192, 29.5],
  ['fp8-block', 512, 5120, 16_384, 42.8],
  ['nvfp4', 64, 16_384, 8192, 25],
] as const)('a product on B200 in %s, %i x %i x %i', (precision, m, n, k, measured_us) => {
  const rates = ratesOf('b200', precision === 'bf16' ? 'bf16' : precision === 'nvfp4' ? 'fp4' : 'fp8')
  const time = productTime(requireCurve(curvesOf('b200').gemm[precision]), rates, { m, n, k }) * 1e6
  expect(Math.abs(time / measured_us - 1)).toBeLessThan(0.15)
})

test('reading the cache of many long sequences goes at the pace of the memory', () => {
  const rates = ratesOf('h100-sxm', 'bf16')
  const work = { sequences: 64, keys: 8192, heads: 32, kvHeads: 8, width: 128, cacheBytes: 2 }
  const cache = 2 * 64 * 8192 * 8 * 128 * 2
  const share = cache / rates.bandwidth / decodeTime(requireCurve(curvesOf('h100-sxm').decode.bf16), rates, work)
  expect(share).toBeGreaterThan(0.75)
  expect(share).toBeLessThan(1)
})

// From the mla_generation table of the same source, 32 sequences of 4096 keys: a latent is read once whatever the heads.
test.each([
  [16, 68.3],
  [32, 71.3],
  [128, 90.8],
])('decoding over latents with %i heads', (heads, measured_us) => {
  const work = { sequences: 32, keys: 4096, heads, keyWidth: 576, valueWidth: 512, cacheBytes: 2 }
  const time = latentDecodeTime(requireCurve(curvesOf('h100-sxm').latentDecode.bf16), ratesOf('h100-sxm', 'bf16'), work) * 1e6
  expect(Math.abs(time / measured_us - 1)).toBeLessThan(0.15)
})

test('experts that no token visits are not read', () => {
  const rates = ratesOf('h100-sxm', 'fp8')
  const time = (touched: number): number =>
    expertTime(requireCurve(curvesOf('h100-sxm').experts['fp8-block']), rates, {
      experts: 32,
      touched,
      visits: touched,
      width: 7168,
      inner: 2048,
      weightBytes: 1,
    })
  expect(time(32) - time(16)).toBeGreaterThan((16 * 3 * 7168 * 2048) / rates.bandwidth)
})

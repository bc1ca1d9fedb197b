import { builtInCatalog, withOverlay } from '@ironlaw/catalog'
import { checkedOverlay } from '@ironlaw/catalog/schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { qualityVerdicts } from './quality.ts'
import { type QualityPoint, qualityFrontFor, rankedByCost } from './quality-front.ts'
import { measuredDrop, QUALITY_INPUTS, type TestDrop } from './test-quality.ts'

const catalogWith = (drops: Readonly<Record<string, TestDrop>>) =>
  withOverlay(
    builtInCatalog,
    checkedOverlay(
      builtInCatalog,
      {
        quality: Object.fromEntries(
          Object.entries(drops).map(([precision, drop]) => [`chat-${precision}`, measuredDrop(drop, { precision })]),
        ),
      },
      'measured.yaml',
    ),
  )

const WANTED = {
  ...QUALITY_INPUTS,
  precisions: ['bf16', 'fp8', 'int4'] as const,
  traffic: { ...QUALITY_INPUTS.traffic, requests_per_s: 300 },
}
const boundOf = ({ verdict: { verdict, measured } }: QualityPoint): number | undefined =>
  verdict === 'reference' ? 0 : measured?.drop.high.value

test('each precision has its cheapest deployment, kept by the rule or not, with its verdict', () => {
  const front = qualityFrontFor(catalogWith({ int4: { value: 0.03, low: 0.02, high: 0.04 } }), WANTED)
  expect(new Map(front.map(({ verdict: { precision, verdict }, plan }) => [precision, [verdict, plan?.precision]]))).toEqual(
    new Map([
      ['bf16', ['reference', 'bf16']],
      ['fp8', ['undecided', 'fp8']],
      ['int4', ['worse', 'int4']],
    ]),
  )
  expect(front.find(({ verdict }) => verdict.precision === 'fp8')?.beatenBy).toBeUndefined()
})

test('a spec without a rule has no front', () => {
  const { quality: _, ...free } = WANTED
  expect(qualityFrontFor(builtInCatalog, free)).toEqual([])
})

const drops = fc.tuple(fc.double({ min: -0.05, max: 0.05, noNaN: true }), fc.double({ min: 0, max: 0.05, noNaN: true }))
const wants = fc.constantFrom('cost' as const, 'devices' as const)

test('property: what is not beaten costs more where it is shown to lose less, and what is beaten names what beats it', () => {
  const planned = qualityFrontFor(builtInCatalog, WANTED)
  const withDrops = (of: Readonly<Record<string, readonly [number, number]>>): readonly QualityPoint[] => {
    const measured = catalogWith(
      Object.fromEntries(
        Object.entries(of).map(([precision, [value, half]]) => [precision, { value, low: value - half, high: value + half }]),
      ),
    )
    const verdicts = new Map(qualityVerdicts(measured, WANTED).map((verdict) => [verdict.precision, verdict]))
    return planned.map(({ verdict, plan }) => ({ verdict: verdicts.get(verdict.precision) ?? verdict, ...(plan && { plan }) }))
  }
  fc.assert(
    fc.property(drops, drops, wants, (fp8, int4, goal) => {
      const front = rankedByCost(withDrops({ fp8, int4 }), goal)
      const costOf = ({ plan }: QualityPoint): number => (goal === 'cost' ? plan?.prediction.usd_per_hour : plan?.devices) ?? Infinity
      const bounds = front.filter(({ beatenBy }) => beatenBy === undefined).map(boundOf)
      expect(bounds).toEqual(bounds.toSorted((a = 0, b = 0) => b - a))
      expect(front.map(costOf)).toEqual(front.map(costOf).toSorted((a, b) => a - b))
      for (const point of front.filter(({ beatenBy }) => beatenBy !== undefined)) {
        const better = front.find(({ verdict }) => verdict.precision === point.beatenBy)
        expect(costOf(better ?? point)).toBeLessThanOrEqual(costOf(point))
        expect(boundOf(better ?? point)).toBeLessThanOrEqual(boundOf(point) ?? 0)
      }
    }),
  )
})

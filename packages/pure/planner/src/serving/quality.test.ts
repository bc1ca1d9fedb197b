import { builtInCatalog, withOverlay } from '@ironlaw/catalog'
import { checkedOverlay } from '@ironlaw/catalog/schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planServing } from './plan-serving.ts'
import { qualityVerdicts } from './quality.ts'
import { infeasibleText } from './serving-text.ts'
import { measuredDrop, QUALITY_INPUTS as INPUTS, QUALITY_RULE as RULE, type TestDrop } from './test-quality.ts'

const catalogWith = (drop: TestDrop, over: object = {}) =>
  withOverlay(builtInCatalog, checkedOverlay(builtInCatalog, { quality: { 'chat-int4': measuredDrop(drop, over) } }, 'measured.yaml'))

const SMALL = { value: 0.004, low: -0.0133822, high: 0.0226667 }

test.each([
  ['surely within the margin', { value: 0.001, low: -0.004, high: 0.006 }, 'as-good', undefined],
  ['a bound at the margin', { value: 0.004, low: -0.002, high: 0.01 }, 'undecided', 250],
  ['too few items', SMALL, 'undecided', 2420],
  ['surely lower, perhaps by less', { value: 0.006, low: 0.001, high: 0.011 }, 'worse', 391],
  ['lower by more than the margin', { value: 0.03, low: 0.02, high: 0.04 }, 'worse', undefined],
  ['higher', { value: -0.02, low: -0.03, high: -0.01 }, 'as-good', undefined],
] as const)('%s', (_, drop, verdict, items) => {
  const [reference, int4] = qualityVerdicts(catalogWith(drop), INPUTS)
  expect(reference).toEqual({ precision: 'bf16', verdict: 'reference' })
  expect(int4?.verdict).toBe(verdict)
  expect(int4?.itemsNeeded && Math.ceil(int4.itemsNeeded.value)).toBe(items)
  expect(int4?.refused === undefined).toBe(verdict === 'as-good')
})

test('a refusal names the drop, its interval, the margin and what would change it', () => {
  const [, int4] = qualityVerdicts(catalogWith(SMALL), INPUTS)
  expect(int4?.refused).toBe(
    'scores 0.40 points (-1.34 to 2.27, 250 items) below bf16 on sums, which is not shown to be within the margin of 1.00; about 2,420 items would show it if the drop stays as measured, or a larger margin (quality.margin)',
  )
  expect(int4?.itemsNeeded?.by).toMatchObject({ kind: 'law', law: 'experiments/items-within-margin' })
})

test.each([
  ['another model', { model: 'other' }, {}, 'not measured against bf16'],
  ['another suite', { suite: 'products' }, {}, 'not measured against bf16'],
  ['another reference', { reference: 'fp8' }, {}, 'measured against fp8, not against bf16'],
  ['another cache', {}, { cache: 'fp8' as const }, '--precision int4 --cache fp8'],
])('a drop of %s decides nothing', (_, over, inputs, problem) => {
  const verdicts = qualityVerdicts(catalogWith({ value: 0, low: 0, high: 0.001 }, over), { ...INPUTS, ...inputs })
  expect(verdicts.at(-1)).toMatchObject({ verdict: 'undecided', refused: expect.stringContaining(problem) })
  // With keys and values in 8 bits, the reference is not itself.
  expect(verdicts[0]?.verdict).toBe('cache' in inputs ? 'undecided' : 'reference')
})

test('a plan has what is known of its precision, with a rule and without', () => {
  const { quality: rule, ...free } = INPUTS
  const only = { ...free, precisions: ['int4' as const] }
  const measured = [
    {
      suite: 'sums',
      reference: 'bf16',
      items: 250,
      drop: 0.004,
      low: -0.0133822,
      high: 0.0226667,
      source: expect.stringContaining('2026-11'),
    },
  ]
  expect(planServing(catalogWith(SMALL), only, 1).plans[0]?.quality).toEqual({ measured })
  expect(planServing(builtInCatalog, only, 1).plans[0]?.quality).toBeUndefined()
  const kept = planServing(catalogWith(SMALL), { ...only, quality: { ...RULE, margin: 0.05 } }, 1).plans[0]
  expect(kept?.quality).toEqual({ rule: { suite: 'sums', margin: 0.05, reference: 'bf16' }, measured })
  expect(rule).toBe(RULE)
})

test('where no precision is kept there is no plan, and the reasons are the answer', () => {
  const planned = planServing(builtInCatalog, { ...INPUTS, precisions: ['int4'] })
  expect(planned.plans).toEqual([])
  expect(infeasibleText(INPUTS.objectives, planned)).toContain('no precision keeps the quality asked for: int4 undecided')
})

const share = fc.double({ min: -0.1, max: 0.1, noNaN: true })
const drops = fc.tuple(share, share, share).map((three) => {
  const [low, value, high] = three.toSorted((a, b) => a - b) as [number, number, number]
  return { value, low, high }
})
const margins = fc.double({ min: 0.001, max: 0.09, noNaN: true })

test('property: a precision whose bound is not below the margin is refused, and any other is kept', () => {
  fc.assert(
    fc.property(drops, margins, (drop, margin) => {
      const verdict = qualityVerdicts(catalogWith(drop), { ...INPUTS, quality: { ...RULE, margin } }).at(-1)
      expect(verdict?.refused === undefined).toBe(drop.high < margin)
      if (verdict?.itemsNeeded) expect(verdict.itemsNeeded.value).toBeGreaterThanOrEqual(250 * (1 - 1e-9))
    }),
  )
})

test('property: no plan has a precision that is not kept', () => {
  fc.assert(
    fc.property(drops, margins, (drop, margin) => {
      const { plans } = planServing(catalogWith(drop), { ...INPUTS, quality: { ...RULE, margin } }, 2)
      expect(plans.length).toBeGreaterThan(0)
      for (const { precision } of plans) expect(precision === 'bf16' || drop.high < margin).toBe(true)
    }),
    { numRuns: 8 },
  )
})

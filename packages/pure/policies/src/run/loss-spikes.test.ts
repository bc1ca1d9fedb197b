import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { draws } from '../draws.fixture.ts'
import { lossSpikes, spikeText } from './loss-spikes.ts'

type Noise = (draw: () => number) => number
const normal: Noise = (draw) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
const laplace: Noise = (draw) => {
  const side = draw() - 0.5
  return (-Math.sign(side) * Math.log(1 - 2 * Math.abs(side))) / Math.SQRT2
}

type Curve = {
  readonly seed: number
  readonly steps: number
  readonly share: number
  readonly noise?: Noise
  readonly persistence?: number
}

/** A loss that falls by a power of the step, with noise of a share of it. */
function curve({ seed, steps, share, noise = normal, persistence = 0 }: Curve): { step: number; loss: number | null }[] {
  const draw = draws(seed)
  let error = 0
  return Array.from({ length: steps }, (_, at) => {
    error = persistence * error + Math.sqrt(1 - persistence ** 2) * noise(draw)
    return { step: at + 1, loss: (1.7 + 8 * (at + 1) ** -0.35) * (1 + share * error) }
  })
}

const STEPS = 50_000
const CURVE = fc.record({
  seed: fc.nat(),
  steps: fc.integer({ min: 100, max: 400 }),
  share: fc.double({ min: 1e-4, max: 0.02, noNaN: true }),
})

describe('a smooth curve with noise', () => {
  test.each([
    ['normal', { noise: normal }, 0],
    ['normal, from step to step the same for long', { noise: normal, persistence: 0.9 }, 4],
    ['of a Laplace distribution, whose tails are long', { noise: laplace }, 60],
  ])('has hardly a spike: %s', (_, kind, most) => {
    expect(lossSpikes(curve({ seed: 7, steps: STEPS, share: 0.02, ...kind })).length).toBeLessThanOrEqual(most)
  })

  property.prop([CURVE])('has none, and one where one was planted', (given) => {
    const rows = curve(given)
    expect(lossSpikes(rows)).toEqual([])
    const at = 60 + (given.seed % (given.steps - 60))
    const planted = rows.map((row) => (row.step === at + 1 ? { ...row, loss: 1.5 * (row.loss ?? 0) } : row))
    expect(lossSpikes(planted)).toMatchObject([{ step: at + 1, until: at + 1, loss: planted[at]?.loss, isBroken: false }])
  })

  property.prop([CURVE, fc.constantFrom(null, Number.NaN, Number.POSITIVE_INFINITY), fc.nat()])(
    'has a spike where the loss is no number, at whatever step, and nothing after it changes',
    (given, broken, where) => {
      const rows = curve(given)
      const at = where % rows.length
      const found = lossSpikes(rows.map((row, index) => (index === at ? { ...row, loss: broken } : row)))
      expect(found).toMatchObject([{ step: at + 1, until: at + 1, loss: null, isBroken: true }])
    },
  )

  property.prop([CURVE, fc.integer({ min: -8, max: 8 })])('has the same spikes in other units', (given, power) => {
    const planted = curve(given).map((row) => (row.step % 90 === 0 ? { ...row, loss: 1.2 * (row.loss ?? 0) } : row))
    const scaled = planted.map(({ step, loss }) => ({ step, loss: 2 ** power * (loss ?? 0) }))
    expect(lossSpikes(scaled).map(({ step }) => step)).toEqual(lossSpikes(planted).map(({ step }) => step))
  })
})

const flat = (from: number, count: number, loss: number) => Array.from({ length: count }, (_, at) => ({ step: from + at, loss }))

test('bad steps in a row, and with a good one between, are one spike with its highest loss', () => {
  const bad = [
    { step: 61, loss: 5 },
    { step: 62, loss: 3 },
    { step: 63, loss: 9 },
    { step: 64, loss: null },
  ]
  const [spike, ...others] = lossSpikes([...flat(1, 60, 3), ...bad, ...flat(65, 60, 3)])
  expect(others).toEqual([])
  expect(spike).toMatchObject({ step: 61, until: 64, loss: 9, usual: 3, isBroken: true })
})

test('a loss that rises and stays is one spike, and then what is usual', () => {
  expect(lossSpikes([...flat(1, 60, 3), ...flat(61, 200, 6)])).toMatchObject([{ step: 61, loss: 6 }])
})

test('a spike that a later attempt meets again is told again', () => {
  const once = [...flat(1, 60, 3), { step: 61, loss: 9 }]
  expect(lossSpikes([...once, ...flat(51, 10, 3), { step: 61, loss: 9 }]).map(({ step }) => step)).toEqual([61, 61])
})

test.each([
  ['too few steps before it', [...flat(1, 49, 3), { step: 50, loss: 30 }]],
  ['a fall', [...flat(1, 60, 3), { step: 61, loss: 0.1 }]],
  ['less than two in a thousand above a loss that never moved', [...flat(1, 60, 3), { step: 61, loss: 3.005 }]],
  ['a program that reports no loss', Array.from({ length: 100 }, (_, step) => ({ step }))],
  ['a loss of zero that stays', flat(1, 100, 0)],
])('%s is no spike', (_, rows) => {
  expect(lossSpikes(rows)).toEqual([])
})

test('a spike in words', () => {
  const spike = { step: 4120, until: 4123, loss: 9.3124, usual: 2.871, deviations: 31.4, isBroken: false }
  expect(spikeText(spike)).toBe('loss 9.312 at step 4,120, 31 deviations above 2.871, until step 4,123')
  expect(spikeText({ step: 3, until: 3, loss: null, isBroken: true })).toBe('loss is not a number at step 3')
  expect(spikeText({ step: 70, until: 70, loss: null, usual: 2, isBroken: true })).toBe('loss is not a number at step 70, after 2.000')
})

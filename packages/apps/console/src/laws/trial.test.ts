import { outputOf, book } from '@ironlaw/laws'
import { expect, test } from 'vitest'
import { nearestStep } from '../ui/ladder.ts'
import { changesOf, changesText, curveOf, examplesOf, ladderOf, valuesOf, withChanges } from './trial.ts'

test('every law of the book can be tried: the values of its first example give a number', () => {
  const silent = [...book.values()].filter((law) => outputOf(law, valuesOf(law, examplesOf(law)[0])) === undefined)
  expect(silent.map(({ id }) => id)).toEqual([])
})

test('changes survive the address', () => {
  const changes = { flops: 4.1e9, share: 0.25 }
  expect(changesOf(changesText(changes))).toEqual(changes)
  expect(changesOf('nonsense;a:b')).toEqual({})
})

test('a slider can stand where the example stands, and nowhere outside the law', () => {
  for (const law of book.values()) {
    const values = valuesOf(law, examplesOf(law)[0])
    for (const [name, input] of Object.entries(law.inputs)) {
      const value = values[name]
      if (typeof value !== 'number') continue
      const ladder = ladderOf(input, value)
      expect(
        ladder.every((step) => step >= input.least * 0.999 && step <= input.most),
        `${law.id} ${name}`,
      ).toBe(true)
      const nearest = ladder[nearestStep(ladder, value)] ?? Number.NaN
      expect(Math.abs(nearest - value), `${law.id} ${name}`).toBeLessThanOrEqual(0.07 * Math.abs(value) + 0.2)
    }
  }
})

test('a curve goes through the value of the law', () => {
  const law = book.get('roofline/ridge-point')
  if (!law) throw new Error('no such law')
  const values = withChanges(valuesOf(law, examplesOf(law)[0]), { peakFlops: 1e15 })
  const curve = curveOf(law, values, { name: 'peakFlops', ladder: [1e15, 2e15] })
  expect(curve[0]?.[1]).toBe(outputOf(law, values)?.value)
  expect(curve[1]?.[1]).toBeCloseTo(2 * (curve[0]?.[1] ?? 0))
})

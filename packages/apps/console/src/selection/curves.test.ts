import { selectionWorth } from '@ironlaw/planner'
import { describe, expect, test } from 'vitest'
import { stateOf } from '../address.ts'
import { epochCurves, proxyCurves, shareCurves } from './curves.ts'
import { caseOf, commandOf, SELECTION } from './question.ts'

const question = (address: string) => stateOf(SELECTION, new URLSearchParams(address))
const DEFAULT = caseOf(question(''))
const valuesOf = (series: ReturnType<typeof shareCurves>, name: string): readonly number[] =>
  series.find((each) => each.name === name)?.points.map(([, value]) => value) ?? []

describe('the curves', () => {
  test('training on more of the pool takes longer, and all of it longer than without selecting', () => {
    const series = shareCurves(DEFAULT)
    const totals = valuesOf(series, 'select and train')
    expect(totals).toEqual(totals.toSorted((a, b) => a - b))
    expect(totals.at(-1)).toBeGreaterThan(valuesOf(series, 'train on the whole pool').at(-1) ?? Infinity)
  })

  test('the overhead passes the rule at the largest proxy of the answer', () => {
    const { mostParams } = selectionWorth(DEFAULT).proxy
    for (const [params, overhead] of proxyCurves(DEFAULT)[0]?.points ?? []) expect(overhead <= 0.1).toBe(params <= 1.001 * mostParams)
  })

  test('repeated text falls behind fresh text from the second epoch on', () => {
    const [repeated, fresh] = epochCurves(DEFAULT)
    expect(repeated?.points[0]).toEqual(fresh?.points[0])
    for (const [index, [, worth]] of (repeated?.points ?? []).entries())
      if (index > 0) expect(worth).toBeLessThan(fresh?.points[index]?.[1] ?? 0)
  })
})

describe('the question', () => {
  test('an address beyond what is possible has an answer', () => {
    const { verdict } = selectionWorth(
      caseOf(question('params=0&tokens=0&keep=0&epochs=0&proxy=0&scorings=0&devices=0&accelerator=abacus')),
    )
    expect(Object.values(verdict.figures).every(Number.isFinite)).toBe(true)
    expect(selectionWorth(caseOf(question('keep=900'))).verdict).toMatchObject({ passes: false, broken: ['slower'] })
  })

  test('the command names what differs from one scoring by a proxy that exists', () => {
    expect(commandOf(question(''))).toBe(
      'ironlaw data worth --model 7B --tokens 200B --keep "30 %" --epochs 1 --proxy 125M --on h100-sxm --gpus 64',
    )
    expect(commandOf(question('proxyEpochs=5&scorings=2'))).toContain('--proxy-epochs 5 --scorings 2')
    expect(commandOf(question('params=7123456789'))).toContain('--model 7123456789 ')
  })
})

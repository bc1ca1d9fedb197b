import { describe, expect, test } from 'vitest'
import { checkpointTable, FIRST_ORDER_HOLDS } from './checkpoint-table.ts'
import { RandomStream } from '../kernel/random-stream.ts'
import { worstStretch } from './published-campaign.ts'
import { PUBLISHED } from './published.ts'
import { beliefWithout, CLUSTERS } from '../reliability/rates.ts'
import { validateReliability } from './validate.ts'

const { checks, notScored } = validateReliability({ replicas: 400, seed: 1 })
const of = (id: string, kind: string) => checks.find((check) => check.id === id && check.test === kind)

describe('published campaigns', () => {
  test("Llama 3's interruptions lie in the interval, predicted from others and with its own rate", () => {
    expect(of('llama3-unexp', 'prediction')).toMatchObject({ published: 419, inside: true })
    expect(of('llama3-unexp', 'consistency')).toMatchObject({ published: 419, inside: true })
  })

  test("with its own rate Llama 3's effective training time is within 2 points of the 90 % it exceeded", () => {
    expect(of('llama3-eff', 'consistency')?.predicted).toBeGreaterThan(88)
    expect(of('llama3-eff', 'consistency')?.predicted).toBeLessThan(92)
    expect(of('llama3-eff', 'prediction')?.inside).toBe(true)
  })

  test('at least 85 % of predicted figures lie in their interval', () => {
    const scored = checks.filter(({ test: kind, inside }) => kind === 'prediction' && inside !== undefined)
    expect(scored.filter(({ inside }) => inside).length / scored.length).toBeGreaterThan(0.85)
  })

  test('hardware and software of Llama 3 are scored apart and add up to all', () => {
    const counts = ['llama3-cause-01', 'llama3-cause-03', 'llama3-unexp'].map((id) => of(id, 'consistency')?.published ?? 0)
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(counts[2])
  })

  test('the worst stretch holds all of its events and no more than there are', () => {
    const stream = new RandomStream([1])
    expect(worstStretch(30, 1, stream)).toBe(30)
    expect(worstStretch(0, 0.5, stream)).toBe(0)
    expect(worstStretch(300, 0.25, stream)).toBeGreaterThanOrEqual(75)
  })

  test('a prediction never uses a rate of the campaign that it predicts', () => {
    for (const { id, source, how } of CLUSTERS) {
      expect(beliefWithout(source).from, id).not.toContain(how)
      expect(beliefWithout('none').from).toContain(how)
    }
  })

  test('every published figure is scored or has a reason why not', () => {
    const seen = [...new Set(checks.map(({ id }) => id)), ...notScored.flatMap(({ ids }) => ids)]
    expect(seen.toSorted()).toEqual([...PUBLISHED.keys()].toSorted())
    for (const { inputs } of checks) for (const { from } of inputs) expect(from).not.toBe('')
  })
})

describe('overhead at the Young-Daly interval', () => {
  const cells = checkpointTable(1)

  test('the complete closed form is within 3 % of simulation everywhere', () => {
    for (const { mtbf_s, write_s, completeError } of cells) expect(Math.abs(completeError), `${mtbf_s} ${write_s}`).toBeLessThan(0.03)
  })

  test('the first order is within 3 % where its assumptions hold, and off where a write is long', () => {
    for (const { mtbf_s, write_s, firstOrderError } of cells)
      if (write_s / mtbf_s < FIRST_ORDER_HOLDS) expect(Math.abs(firstOrderError), `${mtbf_s} ${write_s}`).toBeLessThan(0.03)
    expect(cells.find(({ mtbf_s, write_s }) => mtbf_s === 3600 && write_s === 600)?.firstOrderError).toBeLessThan(-0.3)
  })
})

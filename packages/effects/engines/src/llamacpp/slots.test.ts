import { describe, expect, test } from 'vitest'
import { Slots } from './slots.ts'

type HeldTokens = { tokens: readonly number[] }

function common({ tokens }: HeldTokens, prompt: readonly number[]): number {
  const at = prompt.findIndex((token, index) => tokens[index] !== token)
  return at === -1 ? prompt.length : at
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)

function usedSlots(...held: readonly (readonly number[])[]): Slots<HeldTokens, readonly number[]> {
  const sequences = held.map((tokens): HeldTokens => ({ tokens }))
  const slots = new Slots(sequences, common)
  const taken = sequences.map(() => slots.take([-1]))
  for (const slot of taken) if (slot) slots.free(slot)
  return slots
}

describe('slots', () => {
  test('the longest common prefix is taken', () => {
    const slots = usedSlots(range(0, 20), range(0, 50), range(100, 50))
    expect(slots.take(range(0, 60))?.sequence.tokens).toEqual(range(0, 50))
  })

  test('where nothing worthwhile is common, the one used longest ago gives way', () => {
    const slots = usedSlots(range(0, 50), [7, ...range(300, 50)])
    expect(slots.take([7, ...range(500, 50)])?.sequence.tokens).toEqual(range(0, 50))
  })

  test('a sequence of another salt is like none, whatever it holds', () => {
    const slots = usedSlots(range(0, 50), range(100, 50), range(200, 50))
    const slot = slots.take(range(100, 50))
    if (!slot) throw new Error('none is free')
    slot.salt = 'theirs'
    slots.free(slot)
    for (const salt of ['ours', undefined]) expect(slots.take(range(100, 50), salt)?.place).not.toBe(slot.place)
    expect(slots.take(range(100, 50), 'theirs')).toBe(slot)
  })

  test('what is busy is not taken, and nothing is left when all are', () => {
    const slots = usedSlots(range(0, 50), range(100, 50))
    const first = slots.take(range(0, 50))
    expect(first?.sequence.tokens).toEqual(range(0, 50))
    expect(slots.take(range(0, 50))?.sequence.tokens).toEqual(range(100, 50))
    expect(slots.take(range(0, 50))).toBeUndefined()
    expect(slots.running).toBe(2)
    if (first) slots.free(first)
    expect(slots.take(range(0, 50))).toBe(first)
  })

  test('a prompt without a shared prefix goes next to a busy sequence, so that both are computed together', () => {
    const slots = usedSlots(range(0, 50), range(100, 50), range(200, 50), range(300, 50), range(400, 50), range(500, 50))
    expect(slots.take(range(100, 50))?.place).toBe(1)
    expect(slots.take(range(300, 50))?.place).toBe(3)
    // Between the two, though the one at 0 was used longer ago.
    expect(slots.take(range(700, 50))?.place).toBe(2)
  })

  test('but not in place of the conversations that were last', () => {
    const slots = usedSlots(range(0, 50), range(100, 50), range(200, 50), range(300, 50), range(400, 50))
    expect(slots.take(range(400, 50))?.place).toBe(4)
    expect(slots.take(range(700, 50))?.place).toBe(0)
  })
})

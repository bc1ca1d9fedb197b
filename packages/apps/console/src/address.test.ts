import { expect, test } from 'vitest'
import { addressOf, changedAddress, oneOf, parseHash, stateOf, text, wholeNumber } from './address.ts'

const FIELDS = { model: text('llama'), devices: wholeNumber(1024), goal: oneOf(['time', 'cost']) }

test('a page at its defaults has a bare address', () => {
  expect(addressOf('train', FIELDS, stateOf(FIELDS, new URLSearchParams()))).toBe('#/train')
})

test('an address gives back the state it was made from', () => {
  const state = { model: '{"a": 1} & more', devices: 96, goal: 'cost' } as const
  const { page, parameters } = parseHash(addressOf('train', FIELDS, state))
  expect([page, stateOf(FIELDS, parameters)]).toEqual(['train', state])
})

test('invalid values become the default', () => {
  expect(stateOf(FIELDS, new URLSearchParams('devices=-3&goal=fame'))).toEqual({ model: 'llama', devices: 1024, goal: 'time' })
})

test('the fields of a table stay when those of the page change', () => {
  const state = { model: 'llama', devices: 96, goal: 'time' } as const
  expect(changedAddress('#/train?model=other&plans.sort=-mfu', FIELDS, state)).toBe('#/train?plans.sort=-mfu&devices=96')
})

import { describe, expect, test } from 'vitest'
import { controlChange, readRest, restOf, withoutChanged, withRest } from './spec-rest.ts'

const WRITTEN = { kind: 'Train', sequence: 8192, fleet: { accelerator: 'h100-sxm', count: 64 }, runtime: 'megatron-core' }

describe('the rest of a spec', () => {
  test.each([
    ['a field without a control', { ...WRITTEN, price: '$2/h' }, '{"price":"$2/h"}'],
    ['a field inside another', { ...WRITTEN, fleet: { ...WRITTEN.fleet, perNode: 4 } }, '{"fleet.perNode":4}'],
    ['a list', { ...WRITTEN, precisions: ['fp8', 'bf16'] }, '{"precisions":["fp8","bf16"]}'],
    ['a field that is left out', { kind: 'Train', sequence: 8192, fleet: WRITTEN.fleet }, '{"runtime":null}'],
    ['nothing', { ...WRITTEN }, ''],
  ])('%s comes back', (_name, spec, rest) => {
    expect(restOf(spec, WRITTEN)).toBe(rest)
    expect(withRest(WRITTEN, rest)).toEqual(spec)
  })

  test('a control that is moved replaces what was said of its field, and of no other', () => {
    const rest = '{"price":"$2/h","sequence":"8k","fleet.perNode":4}'
    expect(withoutChanged(rest, WRITTEN, { ...WRITTEN, sequence: 4096 })).toBe('{"price":"$2/h","fleet.perNode":4}')
    const state = { rest, sequence: 8192 }
    const change = controlChange<typeof state>(({ sequence }) => ({ ...WRITTEN, sequence }))
    expect(change({ sequence: 4096 })(state).rest).toBe('{"price":"$2/h","fleet.perNode":4}')
    expect(change({ sequence: 4096 })({ ...state, rest: '' })).toEqual({ sequence: 4096 })
  })

  test.each(['{', '[]', '7', 'null'])('an address that was edited to %s has none', (rest) => {
    expect(readRest(rest)).toBeUndefined()
    expect(withRest(WRITTEN, rest)).toEqual(WRITTEN)
  })
})

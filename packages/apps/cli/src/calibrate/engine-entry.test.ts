import { expect, test } from 'vitest'
import { engineText } from './engine.ts'
import { correctedEntry, simulatedEngine } from './engine-entry.ts'
import { TINY_COSTS as costs, TINY_ENTRY as entry } from './tiny-engine.fixture.ts'

test('what was measured is what the simulator reads', () => {
  const engine = simulatedEngine(entry)
  expect(engine).toMatchObject({ costs, slots: 8, context_tokens: 768, sharing: [1, 1.25] })
  expect(engine.coldStart_s).toBeCloseTo(0.6 + 1.1 + 0.05)
})

test('people see every figure with its spread', () => {
  const text = engineText('tiny', entry)
  expect(text).toMatch(/8 at a time +12\.5 ms ±6 %/)
  expect(text).toMatch(/2 engines busy +1\.25 ±5 % times/)
  expect(text).toContain('off by 4.0 % in the median, their sum by -1.0 %')
})

test('factors correct what they are for, and say where they come from', () => {
  const corrected = correctedEntry(entry, { decode: 2, prefill: 0.5, sharing: [1, 1.2] })
  expect(simulatedEngine(corrected)).toMatchObject({
    costs: { decode: [{ seconds: 0.004 }, { seconds: 0.025 }], decodeKey_s: 8e-6, prefillToken_s: 0.0002, request_s: 0.001 },
    sharing: [1, 1.5],
  })
  expect(corrected['decodeKey']).toMatchObject({ from: 'replay', spread: 0.0593 })
  expect(corrected['request']).toMatchObject({ from: 'calibrate' })
  expect(Object.keys(corrected['sources'] ?? {})).toEqual(['calibrate', 'replay'])
})

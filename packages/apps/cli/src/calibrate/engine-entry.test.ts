import { expect, test } from 'vitest'
import { engineText } from './engine.ts'
import { correctedEntry, engineEntry, simulatedEngine } from './engine-entry.ts'

const costs = {
  decode: [
    { sequences: 1, seconds: 0.002 },
    { sequences: 8, seconds: 0.0125 },
  ],
  decodeKey_s: 4e-6,
  prefillSequence_s: 0.003,
  prefillToken_s: 0.0004,
  prefillPair_s: 0,
  request_s: 0.001,
}
const figure = (value: number) => ({ value, spread: 0.05, samples: 4 })
const setting = { model: 'model.gguf', id: 'tiny', slots: 8, threads: 1, context: 768 }
const entry = engineEntry(setting, {
  fitted: { costs, rows: 90, heldOut: { median: 0.04, total: -0.01, rows: 90 }, sharing: [figure(1), figure(1.25)] },
  starts: [
    { process_s: 0.5, load_s: 1, warm_s: 0.05 },
    { process_s: 0.7, load_s: 1.2, warm_s: 0.05 },
  ],
  on: 'here',
})

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

// The entry of an engine as "ironlaw calibrate engine" would write it.

import { engineEntry } from './engine-entry.ts'

export const TINY_COSTS = {
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
export const TINY_ENTRY = engineEntry(setting, {
  fitted: { costs: TINY_COSTS, rows: 90, heldOut: { median: 0.04, total: -0.01, rows: 90 }, sharing: [figure(1), figure(1.25)] },
  starts: [
    { process_s: 0.5, load_s: 1, warm_s: 0.05 },
    { process_s: 0.7, load_s: 1.2, warm_s: 0.05 },
  ],
  on: 'here',
})

import { expect, test } from 'vitest'
import { checkpointInterval, firstCheckpoint } from './checkpoint-interval.ts'

const llama = { accelerators: 16_384, elapsed_s: 0, interruptions: 0, pause_s: 10, write_s: 10 }

test.each([
  // The expectation is one failure in 50,000 h / 16,384 = 10986 s, as in Llama 3's 54 days. Daly by hand:
  // sqrt(2 * 10 * 10986) * (1 + sqrt(10 / 21973) / 3 + 10 / 21973 / 9) - 10 = 468.7 * 1.00716 - 10.
  ['a fleet as that of Llama 3', llama, 462.1],
  ['a longer pause, rarer checkpoints', { ...llama, pause_s: 40 }, 911.0],
  ['failures seen count', { ...llama, interruptions: 3, elapsed_s: 10_986 }, 324.8],
  ['a small job would wait for hours', { ...llama, accelerators: 4 }, 1800],
  ['a write behind a short pause bounds it', { ...llama, pause_s: 0.1, write_s: 120 }, 120],
  ['a checkpoint that costs nothing', { ...llama, pause_s: 0, write_s: 0 }, 10],
] as const)('%s', (_what, run, seconds) => expect(checkpointInterval(run)).toBeCloseTo(seconds, 0))

test.each([
  ['a small model is saved within the first minute', 200e6, 30],
  ['one that takes a second to copy waits until that is a hundredth', 1e9, 100],
  ['a large one is saved as soon as before', 80e9, 300],
  ['nothing is known of a job', undefined, 30],
] as const)('%s', (_what, memory_bytes, seconds) => expect(firstCheckpoint(memory_bytes)).toBe(seconds))

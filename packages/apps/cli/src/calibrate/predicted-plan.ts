// What of a training plan is compared with a run of it.

import * as z from 'zod'

const time = z.number().positive()

export const PREDICTED_PLAN = z.object({
  sequence: z.int().positive(),
  globalBatch: z.int().positive(),
  decision: z.object({ shards: z.string() }).exactOptional(),
  fleet: z.object({ accelerator: z.string(), devices: z.int().positive(), perNode: z.int().positive() }),
  prediction: z.object({
    step_s: time,
    step_low_s: time,
    step_high_s: time,
    causes_s: z.record(z.string(), z.number().nonnegative()),
    measured: z.object({ note: z.string(), corrections: z.record(z.string(), time) }).exactOptional(),
  }),
})

// What a plan puts on the hardware, beside what the hardware has: one account for training and serving. A share above 1 is a plan that no
// machine can run.

import * as z from 'zod'

const RESOURCES = ['arithmetic', 'memory bandwidth', 'memory', 'link', 'port', 'host link', 'host memory', 'drive'] as const

export type Resource = (typeof RESOURCES)[number]

export const CAPACITY = z
  .object({
    resource: z.enum(RESOURCES).describe('Of one device; "link" is inside a node, "port" leads out of it'),
    share: z.number().nonnegative().describe('Used, of what there is: 1 is full'),
    has: z.number().nonnegative(),
    unit: z.enum(['FLOP/s', 'B/s', 'B']),
  })
  .readonly()

export type Capacity = z.infer<typeof CAPACITY>

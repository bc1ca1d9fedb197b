// What updates the weights: in a spec what is wanted, in a plan what was priced.

import * as z from 'zod'

export const OPTIMIZER = z
  .enum(['adam', 'adam-8bit', 'muon'])
  .describe(
    'What updates the weights: Adam with two moments when left out, Adam with moments in 8 bits (bitsandbytes), or Muon with one momentum for the matrices of layers and Adam for the rest',
  )

export type OptimizerName = z.infer<typeof OPTIMIZER>

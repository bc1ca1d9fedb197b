// Low-rank adapters: how thin, and on which products. In a spec what is wanted, in a plan what was priced.

import * as z from 'zod'

const LORA_TARGETS = ['attention', 'all-linear'] as const

export type LoraTargets = (typeof LORA_TARGETS)[number]

export const LORA = z.strictObject({
  rank: z.int().positive().max(4096).default(16).describe('Rank of the adapters'),
  targets: z
    .enum(LORA_TARGETS)
    .default('all-linear')
    .describe('Which products get adapters: those of attention, or every product of a layer except routers and routed experts'),
})

export type Lora = z.infer<typeof LORA>

// What differs between two runs, and what of their results is beyond noise. A separate entry point, as everything that loads zod.

import * as z from 'zod'

export const RUN_PARTS = ['code', 'data', 'configuration', 'environment', 'hardware', 'plan'] as const

export const MOST_FIELD_DIFFERENCES = 500

const FIELD_DIFFERENCE = z.object({
  part: z.enum(RUN_PARTS),
  field: z.string().describe('Path of the field, such as spec.optimizer.lr, packages.torch or argv.--lr'),
  before: z.json().exactOptional().describe('Absent where only the second run has it'),
  after: z.json().exactOptional(),
})

const VERDICTS = ['within noise', 'beyond noise', 'noise between runs unknown'] as const

const RESULT_DIFFERENCE = z.object({
  measure: z.string().describe('Such as loss, step time, or a cause of the ledger'),
  unit: z.string(),
  before: z.number(),
  after: z.number(),
  difference: z.number(),
  judged: z
    .object({
      verdict: z.enum(VERDICTS).describe('"noise between runs unknown": more than the noise within both, and neither was repeated'),
      low: z.number(),
      high: z.number().describe('90 % interval of the difference'),
      from: z.enum(['repetitions', 'steps']).describe('What the noise was taken from: runs of the same recipe, or steps that both did'),
      count: z.int().describe('Of those'),
    })
    .exactOptional()
    .describe('Absent where the noise of the measure is not known at all'),
})

export const RUN_DIFF = z
  .object({
    from: z.string(),
    to: z.string(),
    same_recipe: z.boolean().describe('Code, data and configuration are the same but for the seed'),
    unknown: z.array(z.object({ run: z.string(), part: z.enum(RUN_PARTS) })).describe('What a run does not say, so that it may differ'),
    differences: z.array(FIELD_DIFFERENCE).describe(`At most ${MOST_FIELD_DIFFERENCES}`),
    more: z.int().describe('Differences that are not listed'),
    results: z.array(RESULT_DIFFERENCE),
  })
  .meta({ id: 'RunDiff' })

export type RunDiff = z.output<typeof RUN_DIFF>
export type RunPart = (typeof RUN_PARTS)[number]
export type FieldDifference = z.output<typeof FIELD_DIFFERENCE>
export type ResultDifference = z.output<typeof RESULT_DIFFERENCE>

// How long documents, prompts or answers are: a mean and how much they vary, or a histogram.

import * as z from 'zod'
import { LENGTH_VARIATION } from './request-lengths.ts'

const tokens = z.int().positive()

export const DOCUMENT_LENGTHS = z
  .strictObject({
    mean: tokens.describe('Mean tokens').exactOptional(),
    variation: z
      .number()
      .min(0)
      .max(10)
      .default(LENGTH_VARIATION)
      .describe('Standard deviation over mean; lengths are log-normal. 0: all are equally long'),
    histogram: z
      .array(z.strictObject({ tokens: tokens.describe('Length'), share: z.number().gt(0).describe('Weight of this length') }))
      .min(1)
      .max(1000)
      .describe('Measured lengths instead of mean and variation')
      .exactOptional(),
  })
  .refine(({ mean, histogram }) => (mean === undefined) !== (histogram === undefined), {
    message: 'give either mean or histogram',
  })

export type DocumentLengths = z.infer<typeof DOCUMENT_LENGTHS>

// Cards: what is known of a version of a model, or of a dataset, as a document for readers and programs of others. A separate entry point, as
// everything that loads zod.

import * as z from 'zod'

export const CARD_FORMATS = ['md', 'hf', 'cyclonedx', 'annex-iv'] as const

export type CardFormat = (typeof CARD_FORMATS)[number]

export const CARD = z
  .object({
    of: z.string().describe('Id of the artifact'),
    file: z.string().describe('What such a file is usually called'),
    media_type: z.string(),
    text: z.string(),
    missing: z
      .array(z.object({ what: z.string(), next: z.string().describe('How to state it') }))
      .describe('What its reader would ask and the registry does not know; the card says so too'),
  })
  .meta({ id: 'Card' })

export type CardDocument = z.output<typeof CARD>

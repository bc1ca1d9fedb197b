// What a dataset says of itself: `figures.json`, what each step kept and dropped, and `sources.json`, where its documents came from. A separate
// entry point, as everything that loads zod.

import * as z from 'zod'
import { parseSpec, type SpecFormat } from './spec-format.ts'

export const FIGURES_FILE = 'figures.json'
export const SOURCES_FILE = 'sources.json'

const amount = z.number().nonnegative()

const AMOUNT = z.object({ documents: amount, bytes: amount.describe('Of text') })

const place = {
  file: z.string().describe('As the spec names it'),
  record: amount.describe('Number of the record in that file, counted from one'),
}

const EXAMPLE = z
  .object({ ...place, text: z.string(), detail: z.string().exactOptional() })
  .describe('A document that a step dropped, shortened')

const DROPPED = AMOUNT.extend({ examples: z.array(EXAMPLE) })

const STEP = z.object({
  step: z.string(),
  into: AMOUNT,
  kept: AMOUNT,
  dropped: z.record(z.string(), DROPPED).describe('By reason'),
})

const FIELD = z.object({ records: amount, missing: amount, measured: amount, sum: z.number() })

const VIOLATING_RECORD = z
  .object({ ...place, rule: z.string().describe('Such as score.most'), problem: z.string() })
  .describe('A record that violates the contract with its source, and where it is')

const SOURCE = z.object({
  records: amount,
  violations: amount,
  firstViolation: VIOLATING_RECORD.exactOptional(),
  fields: z.record(z.string(), FIELD).describe('Fields that the contract measures'),
  out: AMOUNT.extend({ tokens: amount }).describe('Documents that came out, their bytes of text and their tokens'),
  lengths: z.array(amount).describe('Documents that came out by the power of two that their bytes do not exceed'),
})

const FIGURES = z.object({ steps: z.array(STEP), sources: z.record(z.string(), SOURCE) })

const SOURCES = z.object({
  sources: z.array(z.object({ name: z.string(), origin: z.enum(['real', 'synthetic']), generation: z.int().nonnegative() })),
  units: z.array(
    z.object({
      source: z.int().nonnegative().describe('Index among the sources'),
      file: z.string(),
      start: amount.describe('Where in the file the unit begins'),
    }),
  ),
})

export type Amount = Readonly<z.output<typeof AMOUNT>>
export type Example = Readonly<z.output<typeof EXAMPLE>>
export type Dropped = Amount & { readonly examples: readonly Example[] }
export type StepFigures = Readonly<Omit<z.output<typeof STEP>, 'dropped'>> & { readonly dropped: Readonly<Record<string, Dropped>> }
export type FieldFigures = Readonly<z.output<typeof FIELD>>
export type ViolatingRecord = Readonly<z.output<typeof VIOLATING_RECORD>>
export type SourceFigures = Readonly<Omit<z.output<typeof SOURCE>, 'fields' | 'lengths'>> & {
  readonly fields: Readonly<Record<string, FieldFigures>>
  readonly lengths: readonly number[]
}
export type DataFigures = { readonly steps: readonly StepFigures[]; readonly sources: Readonly<Record<string, SourceFigures>> }
export type DataSources = z.output<typeof SOURCES>

const FIGURES_FORMAT: SpecFormat<typeof FIGURES> = { schema: FIGURES, fields: {} }
const SOURCES_FORMAT: SpecFormat<typeof SOURCES> = { schema: SOURCES, fields: {} }

export const parseDataFigures = (value: unknown, file: string): DataFigures => parseSpec(FIGURES_FORMAT, value, file)

export const parseDataSources = (value: unknown, file: string): DataSources => parseSpec(SOURCES_FORMAT, value, file)

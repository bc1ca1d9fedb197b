// What a person writes to have a program tried with several arguments: `kind: Sweep`. Every trial is a run of the spec that the sweep names. A
// separate entry point (`@ironlaw/contracts/sweep-spec`), as everything that loads zod.

import * as z from 'zod'
import { count, name, parseSpec, type SpecFormat } from './spec-format.ts'

const MOST_TRIALS = 1000

const value = z.union([z.string(), z.number(), z.boolean()])

const range = z
  .strictObject({
    from: z.number(),
    to: z.number(),
    scale: z.enum(['linear', 'log']).default('linear').describe('"log" spreads trials evenly over orders of magnitude'),
    whole: z.literal(true).exactOptional().describe('Whole numbers only'),
  })
  .refine(({ from, to }) => to > from, { path: ['to'], message: 'must be more than "from"' })
  .refine(({ from, scale }) => scale === 'linear' || from > 0, { path: ['from'], message: 'must be more than 0 on a log scale' })
  .describe('Numbers between two')

const choice = z.strictObject({ values: z.array(value).min(1).max(MOST_TRIALS) }).describe('One of these')

const stopping = z
  .strictObject({
    first: count('Step after which trials are first compared'),
    factor: z
      .int()
      .min(2)
      .max(100)
      .default(3)
      .describe('Of the trials that come so far, one in this many goes on; they are compared again after that many times the steps'),
  })
  .describe('Stop trials whose loss is behind (asynchronous successive halving); every trial runs to its end when left out')

const SPEC = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
    kind: z.literal('Sweep').describe('A program, tried with several arguments'),
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,50}$/, 'must be lower-case letters, digits and hyphens, at most 51')
      .describe('Name of the sweep; its runs are called so with the number of the trial'),
    run: name('File of kind Train or Job, relative to this one; every trial runs it').meta({ examples: ['train.yaml'] }),
    arguments: z
      .record(z.string().min(1), z.union([range, choice], { error: 'expected a range (from, to) or a list of values' }))
      .refine((own) => Object.keys(own).length > 0, { message: 'nothing is varied' })
      .describe('What is varied: flags that are appended to the program with their values')
      .meta({ examples: [{ '--lr': { from: 0.0001, to: 0.1, scale: 'log' } }] }),
    trials: count('How many; every combination when left out, where only values are listed')
      .max(MOST_TRIALS, { error: `at most ${MOST_TRIALS}` })
      .exactOptional(),
    atOnce: count('Trials that run at the same time').default(2),
    stopping: stopping.exactOptional(),
  })
  .superRefine((own, context) => {
    const combined = combinations(own.arguments)
    if (own.trials === undefined && combined === undefined)
      context.addIssue({ code: 'custom', path: ['trials'], message: 'missing; a range has no end of values' })
    if (own.trials === undefined && combined !== undefined && combined > MOST_TRIALS)
      context.addIssue({ code: 'custom', path: ['trials'], message: `missing; all ${combined} combinations are more than ${MOST_TRIALS}` })
  })
  .meta({ title: 'Ironlaw sweep spec', description: 'A program tried with several arguments: kind Sweep of ironlaw/v1' })

export type SweepSpec = z.output<typeof SPEC>
export type VariedArgument = SweepSpec['arguments'][string]
export type ArgumentValue = z.output<typeof value>

/** Of listed values; undefined where one is a range. */
export function combinations(varied: SweepSpec['arguments']): number | undefined {
  const counts = Object.values(varied).map((each) => ('values' in each ? each.values.length : undefined))
  return counts.reduce<number | undefined>((all, own) => (all === undefined || own === undefined ? undefined : all * own), 1)
}

const FORMAT: SpecFormat<typeof SPEC> = {
  schema: SPEC,
  fields: { '': Object.keys(SPEC.shape), stopping: Object.keys(stopping.shape) },
}

/** A spec as read from YAML or JSON, checked. */
export const parseSweepSpec = (document: unknown, file: string): SweepSpec => parseSpec(FORMAT, document, file)

/** The JSON Schema for editors, of what may be written: fields with a default may be left out. */
export const sweepSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })

// The order in which a run sees its samples: `data-order.json`, which travels with the run and is named by its digest. Together with a position it
// is all the state that a loader has. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { canonicalJson } from './canonical-json.ts'
import { sha256 } from './sha256.ts'
import { count, parseSpec, type SpecFormat } from './spec-format.ts'

export const DATA_ORDER_FILE = 'data-order.json'

const MOST_SOURCES = 1000
const MOST_PHASES = 1000
/** Products of two sums of weights are exact in a double, so TypeScript and Python count alike. */
const MOST_WEIGHT = 2 ** 26

const sourceName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'lower-case letters, digits, dots, hyphens and underscores, at most 63')

const source = z.strictObject({
  name: sourceName.describe('Seeds its permutations: under another name the same samples come in another order'),
  samples: count('Samples that an epoch of it has'),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected a digest of 64 hexadecimal digits')
    .describe('Digest of its dataset.json; a loader refuses another dataset'),
})

const phase = z.strictObject({
  until: count('Position at which the next phase begins; the last one may go on without end').exactOptional(),
  sources: z
    .array(z.strictObject({ source: sourceName, weight: count('Share of this phase, relative to the other weights') }))
    .min(1)
    .max(MOST_SOURCES),
})

const ORDER = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('DataOrder'),
    seed: z.int().nonnegative(),
    sources: z.array(source).min(1).max(MOST_SOURCES),
    phases: z.array(phase).min(1).max(MOST_PHASES),
  })
  .superRefine(checkOrder)
  .meta({ id: 'DataOrder' })

type WrittenOrder = { readonly sources: readonly z.output<typeof source>[]; readonly phases: readonly z.output<typeof phase>[] }

function checkOrder({ sources, phases }: WrittenOrder, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string): void => context.addIssue({ code: 'custom', path, message })
  const names = sources.map(({ name }) => name)
  for (const [index, name] of repeated(names)) refuse(['sources', index, 'name'], `"${name}" is there twice`)
  let before = 0
  for (const [index, { until, sources: shares }] of phases.entries()) {
    if (until === undefined && index < phases.length - 1)
      refuse(['phases', index, 'until'], 'missing; only the last phase may be without end')
    if (until !== undefined && until <= before)
      refuse(['phases', index, 'until'], `${until} is not behind ${before}, where the phase begins`)
    before = until ?? before
    const known = new Set(names)
    for (const [nth, share] of shares.entries())
      if (!known.has(share.source)) refuse(['phases', index, 'sources', nth, 'source'], `there is no source "${share.source}"`)
    for (const [nth, name] of repeated(shares.map((share) => share.source)))
      refuse(['phases', index, 'sources', nth, 'source'], `"${name}" is there twice`)
    const weight = shares.reduce((sum, share) => sum + share.weight, 0)
    if (weight > MOST_WEIGHT) refuse(['phases', index, 'sources'], `the weights add up to ${weight}; at most ${MOST_WEIGHT}`)
  }
}

const repeated = (names: readonly string[]): readonly (readonly [number, string])[] =>
  [...names.entries()].filter(([index, name]) => names.indexOf(name) < index)

export type DataOrder = z.output<typeof ORDER>

const FORMAT: SpecFormat<typeof ORDER> = { schema: ORDER, fields: { '': Object.keys(ORDER.shape) } }

export const parseDataOrder = (value: unknown, file: string): DataOrder => parseSpec(FORMAT, value, file)

export const dataOrderId = (order: DataOrder): string => `order-${sha256(canonicalJson(order))}`

// Drills of the way back: a deployment returned to an earlier revision and forth again, with the time of each. A separate entry point, like everything
// that loads zod.

import * as z from 'zod'

/** `warm`: replicas of the earlier revision are kept ready. `registry`: all of them start, and bring the version from the registry where it is absent. */
export const DRILL_TIERS = ['warm', 'registry'] as const

export type DrillTier = (typeof DRILL_TIERS)[number]

export const WAY_BACK_LIMITS_S: Readonly<Record<DrillTier, number>> = { warm: 60, registry: 900 }

const duration = z.number().nonnegative().max(86_400)

const DRILL_FIELDS = {
  tier: z.enum(DRILL_TIERS),
  from: z.int().positive().describe('Revision that served before and after'),
  to: z.int().positive().describe('Revision that it returned to'),
  back_s: duration
    .exactOptional()
    .describe('From the order until that revision served all requests at all gateways; absent when the limit passed first'),
  forth_s: duration.exactOptional().describe('The same, for the order that undid the first'),
}

export const NEW_DRILL = z.strictObject(DRILL_FIELDS).meta({ id: 'NewDrill' })

export const DRILL = z
  .object({
    ...DRILL_FIELDS,
    limit_s: z.number().describe('For the way back'),
    within: z.boolean().describe('Whether it took no longer'),
    at: z.number().describe('When it ended, in seconds since 1970-01-01 UTC'),
    by: z.string(),
  })
  .meta({ id: 'Drill' })

export type NewDrill = z.output<typeof NEW_DRILL>
export type Drill = z.output<typeof DRILL>

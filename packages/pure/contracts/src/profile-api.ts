// Profiles of deployments as the API answers them: only what was counted often enough.

import * as z from 'zod'
import { PRINTABLE, PROFILE } from './profile.ts'

const at = z.number().describe('Unix seconds')
const total = z.int().nonnegative()

/** Whole hours since 1970, so that a day of them has a number too. */
export const HOUR_S = 3600

/** How long profiles are kept. */
export const PROFILE_DAYS_KEPT = 400

/** Numbers that are drawn hour by hour. */
export const DRAWN_FEATURES = ['prompt-tokens', 'answer-tokens'] as const

const SPREAD = z.object({ p50: z.number(), p90: z.number() })

const HOUR_FIGURES = z.object({
  rows: total.exactOptional().describe('Answers; absent where they are too few to be shown'),
  'prompt-tokens': SPREAD.exactOptional().describe('Percentiles of the tokens of prompts'),
  'answer-tokens': SPREAD.exactOptional().describe('Percentiles of the tokens of answers'),
})

export type HourFigures = z.output<typeof HOUR_FIGURES>

/** Beyond it a number is no date, and the hour no integer of the database. */
const LATEST_AT = 1e10

const instant = z.coerce.number().min(0).max(LATEST_AT)

export const PROFILE_QUERY = z.object({
  from_at: instant.optional().describe('Unix seconds, from the whole hour on; by default 24 hours before to_at'),
  to_at: instant.optional().describe('Unix seconds, to the end of the hour; by default now'),
  revision: z.coerce.number().int().min(1).max(1_000_000_000).optional().describe('Only this revision; by default all'),
  class: z.string().max(63).regex(PRINTABLE, 'expected a name').optional().describe('Only this class of tenants; by default all'),
})

export type ProfileQuery = z.output<typeof PROFILE_QUERY>

export const DEPLOYMENT_PROFILE = z
  .object({
    deployment: z.string(),
    from_at: at,
    to_at: at,
    revisions: z.array(total).describe('Revisions that answered in this time'),
    classes: z.array(z.string()).describe('Classes of tenants that asked in this time'),
    gateways: total.describe('Gateways that counted what is shown'),
    profile: PROFILE.exactOptional().describe('Absent where there is too little to be shown'),
    reason: z.string().exactOptional().describe('Why there is no profile'),
    hours: z
      .array(z.object({ at: at.describe('Beginning of the hour'), ...HOUR_FIGURES.shape }))
      .describe('Hours in which anything was counted, in order'),
  })
  .meta({ id: 'DeploymentProfile' })

export type DeploymentProfile = z.output<typeof DEPLOYMENT_PROFILE>

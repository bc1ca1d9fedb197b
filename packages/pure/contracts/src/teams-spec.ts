// The teams of a site as people write them: kind Teams. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { parseSpec, type SpecFormat } from './spec-format.ts'
import { checkTeams, type Teams, TEAMS_FIELDS } from './teams.ts'

const SPEC = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
    kind: z.literal('Teams').describe('Teams, their projects and their people'),
    based_on: z
      .string()
      .max(200)
      .exactOptional()
      .describe(
        'ETag of the document that this one is based on, as shown by "ironlaw get teams"; the change is rejected if it has changed since',
      ),
    ...TEAMS_FIELDS,
  })
  .superRefine(checkTeams)
  .meta({ title: 'Ironlaw teams', description: 'Teams, their projects and their people: kind Teams of ironlaw/v1' })

const FORMAT: SpecFormat<typeof SPEC> = {
  schema: SPEC,
  fields: { '': Object.keys(SPEC.shape) },
}

export type TeamsSpec = { readonly teams: Teams; readonly basedOn?: string }

export function parseTeamsSpec(value: unknown, file: string): TeamsSpec {
  const { apiVersion: _, kind: __, based_on, ...teams } = parseSpec(FORMAT, value, file)
  return { teams, ...(based_on !== undefined && { basedOn: based_on }) }
}

export const teamsSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })

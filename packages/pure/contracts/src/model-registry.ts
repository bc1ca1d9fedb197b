// The registry of models: a view over artifacts of type model, with what is known of each. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { page } from './api.ts'
import { ARTIFACT_REFERENCE } from './artifact.ts'
import { ARTIFACT } from './artifact-operations.ts'
import { operation, PAGE_CURSOR, PAGE_LIMIT } from './operation.ts'

/** Without these nobody can make the model again, so it is not released. */
export const REQUIRED_FACTS = ['code', 'data', 'configuration', 'environment'] as const

export const VERSION_FACTS = [...REQUIRED_FACTS, 'plan', 'run', 'hardware', 'cost', 'energy', 'evaluations', 'card'] as const

export type RequiredFact = (typeof REQUIRED_FACTS)[number]
export type VersionFact = (typeof VERSION_FACTS)[number]

/**
 * `stated`: a fact of the artifact. `run`: the request of the run that made it. `edges`: what that run used, and evaluations that name the version.
 * `ledger`: of that run.
 */
export const FACT_ORIGINS = ['stated', 'run', 'edges', 'ledger'] as const

const name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'lower-case letters, digits, dots, hyphens and underscores, at most 63')

export const MODEL_SUMMARY = ARTIFACT.omit({ type: true, facts: true, leaves: true })
  .extend({
    lacks: z.array(z.enum(REQUIRED_FACTS)).describe('What must be known before it can be released, and is not'),
  })
  .meta({ id: 'ModelSummary' })

const KNOWN_FACT = z.object({ fact: z.enum(VERSION_FACTS), value: z.json(), from: z.enum(FACT_ORIGINS) })

const MISSING_FACT = z.object({
  fact: z.enum(VERSION_FACTS),
  blocks: z.boolean().describe('Whether a release is refused without it'),
  next: z.string().describe('How to state it'),
})

const EVALUATION_OF_MODEL = ARTIFACT.pick({ id: true, names: true, facts: true, created_at: true, created_by: true })

export const MODEL = MODEL_SUMMARY.extend({
  facts: ARTIFACT.shape.facts.describe('As they were stated when the artifact was added'),
  known: z.array(KNOWN_FACT).describe('Each with its origin; a stated fact counts before one of the run'),
  missing: z.array(MISSING_FACT),
  evaluations: z
    .array(EVALUATION_OF_MODEL)
    .describe('Artifacts of type evaluation whose fact "model" is its id; newest first, at most 100'),
}).meta({ id: 'Model' })

const viewer = { role: 'viewer', scope: 'project' } as const

const ofModel = z.object({ project: name, artifact: ARTIFACT_REFERENCE })

export const MODELS = {
  listModels: operation({
    id: 'listModels',
    method: 'GET',
    url: '/v1/projects/:project/models',
    need: viewer,
    summary: 'Versions of models of a project, newest first',
    schema: {
      params: z.object({ project: name }),
      querystring: z.object({ limit: PAGE_LIMIT, cursor: PAGE_CURSOR }),
      response: { 200: page(MODEL_SUMMARY) },
    },
  }),
  getModel: operation({
    id: 'getModel',
    method: 'GET',
    url: '/v1/projects/:project/models/:artifact',
    need: viewer,
    summary: 'One version of a model: where it comes from, how it was evaluated, what is not known of it',
    schema: { params: ofModel, response: { 200: MODEL } },
  }),
}

export type ModelSummary = z.output<typeof MODEL_SUMMARY>
export type ModelView = z.output<typeof MODEL>
export type KnownFact = z.output<typeof KNOWN_FACT>
export type MissingFact = z.output<typeof MISSING_FACT>

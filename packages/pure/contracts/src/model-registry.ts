// The registry of models: a view over artifacts of type model, with what is known of each and what was decided about it. A separate entry point, as
// everything that loads zod.

import * as z from 'zod'
import { page } from './api.ts'
import { ARTIFACT_REFERENCE } from './artifact.ts'
import { ARTIFACT } from './artifact-operations.ts'
import { CARD, CARD_FORMATS } from './card.ts'
import { PROJECT_ROLES } from './grants.ts'
import { IDEMPOTENCY_KEY, operation, PAGE_CURSOR, PAGE_LIMIT } from './operation.ts'

/** Without these nobody can make the model again, so it is not released. */
export const REQUIRED_FACTS = ['code', 'data', 'configuration', 'environment'] as const

/** What it is meant for, and where that ends: whoever uses it cannot find out by looking at its files. */
export const PURPOSE_FACTS = ['intended_use', 'languages', 'context_tokens', 'licence', 'limitations', 'contact'] as const

export const VERSION_FACTS = [
  ...REQUIRED_FACTS,
  'plan',
  'run',
  'hardware',
  'cost',
  'energy',
  'evaluations',
  'card',
  ...PURPOSE_FACTS,
] as const

/** Without these a card of the version leaves its reader with a question. */
export const CARD_FACTS = [...REQUIRED_FACTS, 'evaluations', ...PURPOSE_FACTS] as const satisfies readonly VersionFact[]

export type RequiredFact = (typeof REQUIRED_FACTS)[number]
export type CardFact = (typeof CARD_FACTS)[number]
export type VersionFact = (typeof VERSION_FACTS)[number]

/**
 * `stated`: a fact of the artifact. `run`: the request of the run that made it, and what its agents found. `edges`: what that run used, and evaluations that name the version.
 * `ledger`: of that run.
 */
export const FACT_ORIGINS = ['stated', 'run', 'edges', 'ledger'] as const

/** Decisions that a state of a version follows from. */
export const STATE_DECISIONS = ['released', 'refused', 'waived', 'retired'] as const

/** What can be decided about a version; each is a record that stays. `approved` changes no state: a release may need some. */
export const DECISIONS = [...STATE_DECISIONS, 'approved'] as const

/** `candidate`: no such decision was made, or only a waiver that has ended. */
export const VERSION_STATES = ['candidate', ...STATE_DECISIONS] as const

/** Why an approval does not count: its person made the version, or is about to release it, has approved by another token, or has no such role any more. */
export const DISCOUNTS = ['made-the-version', 'releases-it', 'same-person', 'no-role'] as const

export type Discount = (typeof DISCOUNTS)[number]
export type DecisionAnswer = (typeof DECISIONS)[number]
export type VersionState = (typeof VERSION_STATES)[number]

const at = z.number().describe('Seconds since 1970-01-01 UTC')
const sentence = z
  .string()
  .trim()
  .regex(/^[^\p{Cs}\0]{1,2000}$/u, 'expected a reason of 1 to 2,000 characters')

const FIGURE = z.strictObject({
  name: z.string().regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u, 'one line, at most 100 characters'),
  value: z.number(),
  unit: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,20}$/u, 'one line, at most 20 characters')
    .exactOptional(),
})

/** By whom no rule is named, a person judged. */
export const PERSON_RULE = 'judgement'

const DECISION_FIELDS = {
  rule: z
    .string()
    .regex(/^[\w][\w./@-]{0,199}$/, 'letters, digits, dots, slashes, hyphens, underscores and @, at most 200')
    .default(PERSON_RULE)
    .describe('What decided: the id of a plan or an artifact with the rule, or "judgement" of a person'),
  evidence: z
    .strictObject({ artifacts: z.array(ARTIFACT_REFERENCE).max(100).default([]), figures: z.array(FIGURE).max(100).default([]) })
    .default({ artifacts: [], figures: [] })
    .describe('Artifacts such as evaluations, and figures'),
  why: sentence.describe('In one sentence or a few'),
  otherwise: sentence.exactOptional().describe('What would have changed the decision'),
}

const PLAIN_DECISIONS = ['released', 'refused', 'retired', 'approved'] as const satisfies readonly DecisionAnswer[]

const seen = z.int().nonnegative().describe('Number of the newest decision that the caller has seen; 0 where there is none')

export const DECIDE = z
  .discriminatedUnion('answer', [
    z.strictObject({ answer: z.enum(PLAIN_DECISIONS), seen, ...DECISION_FIELDS }),
    z.strictObject({
      answer: z.literal('waived'),
      seen,
      ...DECISION_FIELDS,
      until_at: at.describe('When the waiver ends, in seconds since 1970-01-01 UTC; at most a year ahead'),
    }),
  ])
  .meta({ id: 'Decide' })

export const DECISION = z
  .object({
    number: z.int().describe('Of the decisions about this version, from 1'),
    answer: z.enum(DECISIONS),
    rule: z.string(),
    evidence: z.object({ artifacts: z.array(z.string()).describe('By id'), figures: z.array(FIGURE) }),
    why: z.string(),
    otherwise: z.string().exactOptional(),
    until_at: at.exactOptional().describe('Of a waiver'),
    at,
    by: z.string(),
    role: z.enum(PROJECT_ROLES).exactOptional().describe('Of an approval: the role that its person had in the project'),
  })
  .meta({ id: 'Decision' })

const APPROVAL_NEED = z.object({ role: z.enum(PROJECT_ROLES).describe('Or a higher one'), people: z.int() })

const APPROVALS = z
  .object({
    needed: z.array(APPROVAL_NEED).describe('As the teams document says for this project'),
    given: z
      .array(DECISION.pick({ number: true, by: true }).extend({ role: z.enum(PROJECT_ROLES) }))
      .describe('Approvals that count: after the last refusal and retirement, one of each person'),
    discounted: z.array(DECISION.pick({ number: true, by: true }).extend({ because: z.enum(DISCOUNTS) })),
    missing: z.array(APPROVAL_NEED.extend({ groups: z.array(z.string()).describe('Whose people have the role') })),
  })
  .meta({ id: 'Approvals' })

const name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'lower-case letters, digits, dots, hyphens and underscores, at most 63')

/** That an answer names or counts. */
export const MOST_EVALUATIONS = 100

export const MODEL_SUMMARY = ARTIFACT.omit({ type: true, facts: true, leaves: true })
  .extend({
    versions: z.array(z.string()).describe('Names with a version that point at it or did, such as chat@2; newest first, at most 10'),
    state: z.enum(VERSION_STATES).describe('By its decisions; "waived" only until the waiver ends'),
    lacks: z.array(z.enum(REQUIRED_FACTS)).describe('What must be known before it can be released, and is not'),
    uncommitted: z.literal(true).exactOptional().describe('Its code had changes that are in no commit'),
    data: z.json().exactOptional().describe('What it was trained on: ids of datasets that its run used, or as it was stated'),
    evaluation_count: z.int().describe(`Evaluations that name it, at most ${MOST_EVALUATIONS}`),
    decision: DECISION.pick({ number: true, answer: true, at: true, by: true }).exactOptional().describe('The newest'),
  })
  .meta({ id: 'ModelSummary' })

const KNOWN_FACT = z.object({ fact: z.enum(VERSION_FACTS), value: z.json(), from: z.enum(FACT_ORIGINS) })

const MISSING_FACT = z.object({
  fact: z.enum(VERSION_FACTS),
  blocks: z.boolean().describe('Whether a release is refused without it'),
  next: z.string().describe('How to state it'),
})

const ABOUT_MODEL = ARTIFACT.pick({ id: true, names: true, facts: true, created_at: true, created_by: true })

export const MODEL = MODEL_SUMMARY.extend({
  facts: ARTIFACT.shape.facts.describe('As they were stated when the artifact was added'),
  known: z.array(KNOWN_FACT).describe('Each with its origin; a stated fact counts before one of the run'),
  missing: z.array(MISSING_FACT),
  evaluations: z.array(ABOUT_MODEL).describe('Artifacts of type evaluation whose fact "model" is its id; newest first'),
  baseline: ABOUT_MODEL.exactOptional().describe(
    'What its traffic is compared with: the newest artifact of type profile whose fact "model" is its id',
  ),
  decisions: z.array(DECISION).describe('Newest first, at most 100'),
  approvals: APPROVALS.exactOptional().describe('Where a release of this project needs approvals'),
}).meta({ id: 'Model' })

/** What a suite can say of a version that is rolled out all the same. */
const OFFLINE_VERDICTS = ['released', 'waived', 'refused'] as const satisfies readonly DecisionAnswer[]

const VERSION_OUTCOME = z
  .object({
    deployment: z.string(),
    revision: z.int(),
    version: z.string().describe('Id of the artifact'),
    names: z.array(z.string()).describe('The newest name with a version that pointed at it'),
    offline: z.enum(OFFLINE_VERDICTS).describe('The decision in force when the revision was created'),
    decision: DECISION.pick({ number: true, rule: true, at: true, by: true }),
    production: z.enum(['promoted', 'rolled-back']),
    ended_at: at,
    why: z.string().describe('Why the rollout ended so'),
    ordered_by: z.string().exactOptional().describe('Who ordered that, where no rule decided'),
  })
  .meta({ id: 'VersionOutcome' })

const RELEASE_COUNT = z.object({
  rollouts: z.int(),
  promoted: z.int(),
  share: z.object({ low: z.number(), high: z.number() }).exactOptional().describe('Of those promoted: Wilson interval of 90 %'),
})

const RELEASE_RECORD = z
  .object({
    released: RELEASE_COUNT,
    waived: RELEASE_COUNT,
    refused: RELEASE_COUNT,
    misses: z.int().describe('Released, and rolled back'),
    false_alarms: z.int().describe('Refused, and promoted'),
    ordered: z.int().describe('Whose end was ordered: not in the counts'),
  })
  .meta({ id: 'ReleaseRecord' })

const RELEASES = z
  .object({
    items: z.array(VERSION_OUTCOME).describe('Newest first'),
    summary: RELEASE_RECORD.describe('Of the newest 1,000 rollouts'),
    unjudged: z.int().describe('Rollouts of versions about which nothing was decided on evidence'),
  })
  .meta({ id: 'Releases' })

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
      querystring: z.object({
        name: name.optional().describe('Only versions that this name points at, or did'),
        state: z.enum(VERSION_STATES).optional(),
        limit: PAGE_LIMIT,
        cursor: PAGE_CURSOR,
      }),
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
  getModelCard: operation({
    id: 'getModelCard',
    method: 'GET',
    url: '/v1/projects/:project/models/:artifact/card',
    need: viewer,
    summary: 'A card of a version: for readers, for the Hugging Face hub, as CycloneDX, in the order of Annex IV of the EU AI Act',
    schema: {
      params: ofModel,
      querystring: z.object({ format: z.enum(CARD_FORMATS).default('md') }),
      response: { 200: CARD },
    },
  }),
  listReleases: operation({
    id: 'listReleases',
    method: 'GET',
    url: '/v1/projects/:project/releases',
    need: viewer,
    summary: 'Rollouts of versions that were judged before: what the judgement said, and how production answered',
    schema: {
      params: z.object({ project: name }),
      querystring: z.object({ limit: PAGE_LIMIT }),
      response: { 200: RELEASES },
    },
  }),
  decideModel: operation({
    id: 'decideModel',
    method: 'POST',
    url: '/v1/projects/:project/models/:artifact/decisions',
    need: { role: 'operator', scope: 'project' },
    summary:
      'Approve, release, refuse, waive or retire a version; one that lacks code, data, configuration, environment or approvals is not released',
    schema: {
      params: ofModel,
      headers: z.object({ 'idempotency-key': IDEMPOTENCY_KEY.exactOptional() }),
      body: DECIDE,
      response: { 201: DECISION },
    },
  }),
}

export type ModelSummary = z.output<typeof MODEL_SUMMARY>
export type ModelView = z.output<typeof MODEL>
export type Decide = z.output<typeof DECIDE>
export type Decision = z.output<typeof DECISION>
export type Approvals = z.output<typeof APPROVALS>
export type VersionOutcome = z.output<typeof VERSION_OUTCOME>
export type ReleaseCount = z.output<typeof RELEASE_COUNT>
export type ReleaseRecord = z.output<typeof RELEASE_RECORD>
export type Releases = z.output<typeof RELEASES>
export type KnownFact = z.output<typeof KNOWN_FACT>
export type MissingFact = z.output<typeof MISSING_FACT>

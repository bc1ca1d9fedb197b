// Every operation of the API, with who may call it.

import { RUN_STATES } from './run.ts'
import {
  ATTEMPT_VIEW,
  CHECKPOINT_VIEW,
  CREATE_RUN,
  CREATE_TOKEN,
  CREATED_TOKEN,
  DRAIN_NODE,
  EVENT,
  LOG_IN,
  LOG_STORED,
  LOGGED_IN,
  LOGIN_CODE,
  NODE,
  page,
  PLAN_VIEW,
  PRINCIPAL,
  ROTATE_TOKEN,
  RUN,
  STEP_VIEW,
  TOKEN,
} from './api.ts'
import { ARTIFACTS } from './artifact-operations.ts'
import { AUDITS } from './audit-operations.ts'
import { BUDGETS } from './budget-api.ts'
import { LEDGER } from './ledger.ts'
import { FLEET_GROUPS, FLEET_LEDGER } from './ledger-fleet.ts'
import { MODELS } from './model-registry.ts'
import { ANNOUNCEMENT, ANNOUNCEMENT_RESPONSE, REPORT, REPORT_RESPONSE } from './report.ts'
import { RUN_DIFF } from './run-diff.ts'
import { RUN_ORIGIN } from './run-origin.ts'
import { PLAN } from './run-plan.ts'
import * as z from 'zod'
import { CERTIFICATES, DEPLOYMENTS, GATEWAYS } from './deployment-operations.ts'
import { IDEMPOTENCY_KEY, operation, PAGE_CURSOR, PAGE_LIMIT, textResponse } from './operation.ts'
import { TEAM_OPERATIONS } from './team-operations.ts'
import { SECRETS } from './secret-operations.ts'
import { SESSIONS } from './session-operations.ts'
import { SIGN_IN } from './sign-in.ts'

const INT32 = 2 ** 31 - 1
const name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'letters, digits, dots, hyphens and underscores, at most 63')
const natural = z.coerce.number().int().nonnegative().max(INT32)
const ordinal = z.coerce.number().int().positive().max(INT32)

const tokenId = z.string().regex(/^[\w.-]{1,200}$/)
const ofRun = z.object({ id: name })
const ofAttempt = z.object({ id: name, attempt: ordinal })
const states = z
  .string()
  .regex(new RegExp(`^(?:${RUN_STATES.join('|')})(?:,(?:${RUN_STATES.join('|')}))*$`), `one or more of ${RUN_STATES.join(', ')}`)

const RUNS = {
  createRun: operation({
    id: 'createRun',
    method: 'POST',
    url: '/v1/runs',
    need: { role: 'member', scope: 'project' },
    summary: 'Create a run from a plan',
    schema: {
      headers: z.object({ 'idempotency-key': IDEMPOTENCY_KEY.exactOptional() }),
      body: CREATE_RUN,
      response: { 201: RUN },
    },
  }),
  listRuns: operation({
    id: 'listRuns',
    method: 'GET',
    url: '/v1/runs',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Runs, newest first',
    schema: {
      querystring: z.object({
        name: name.optional().describe('An id, or a name of runs; other filters are then ignored'),
        state: states.optional(),
        live: z.enum(['true', 'false']).optional().describe('Only runs that have not ended'),
        project: name.optional(),
        limit: PAGE_LIMIT,
        cursor: PAGE_CURSOR,
      }),
      response: { 200: page(RUN) },
    },
  }),
  getRun: operation({
    id: 'getRun',
    method: 'GET',
    url: '/v1/runs/:id',
    need: { role: 'viewer', scope: 'project' },
    summary: 'One run',
    schema: { params: ofRun, response: { 200: RUN } },
  }),
  cancelRun: operation({
    id: 'cancelRun',
    method: 'POST',
    url: '/v1/runs/:id/cancel',
    need: { role: 'member', scope: 'project' },
    summary: 'Cancel a run; it is cancelled once the executor confirms',
    schema: { params: ofRun, response: { 200: RUN } },
  }),
  resumeRun: operation({
    id: 'resumeRun',
    method: 'POST',
    url: '/v1/runs/:id/resume',
    need: { role: 'member', scope: 'project' },
    summary: 'Resume a failed or cancelled run with a new attempt, from its newest checkpoint',
    schema: { params: ofRun, response: { 200: RUN } },
  }),
  listAttempts: operation({
    id: 'listAttempts',
    method: 'GET',
    url: '/v1/runs/:id/attempts',
    need: { role: 'viewer', scope: 'project' },
    summary: 'The attempts of a run',
    schema: { params: ofRun, response: { 200: page(ATTEMPT_VIEW) } },
  }),
  listCheckpoints: operation({
    id: 'listCheckpoints',
    method: 'GET',
    url: '/v1/runs/:id/checkpoints',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Checkpoints of a run and their states',
    schema: { params: ofRun, response: { 200: page(CHECKPOINT_VIEW) } },
  }),
  listSteps: operation({
    id: 'listSteps',
    method: 'GET',
    url: '/v1/runs/:id/steps',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Steps of a run in the order they were taken',
    schema: { params: ofRun, querystring: z.object({ after: PAGE_CURSOR, limit: PAGE_LIMIT }), response: { 200: page(STEP_VIEW) } },
  }),
  getLedger: operation({
    id: 'getLedger',
    method: 'GET',
    url: '/v1/runs/:id/ledger',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Where the time of a run went, by cause, compared with the prediction of its plan',
    schema: { params: ofRun, response: { 200: LEDGER } },
  }),
  getRunOrigin: operation({
    id: 'getRunOrigin',
    method: 'GET',
    url: '/v1/runs/:id/origin',
    need: { role: 'viewer', scope: 'project' },
    summary: 'What a run was made of: code, configuration, data, environment',
    schema: { params: ofRun, response: { 200: RUN_ORIGIN } },
  }),
  diffRuns: operation({
    id: 'diffRuns',
    method: 'GET',
    url: '/v1/runs/:id/diff/:other',
    need: { role: 'viewer', scope: 'project' },
    summary: 'What differs between two runs, and what of their results is beyond noise',
    schema: { params: ofRun.extend({ other: ofRun.shape.id }), response: { 200: RUN_DIFF } },
  }),
  listRunEvents: operation({
    id: 'listRunEvents',
    method: 'GET',
    url: '/v1/runs/:id/events',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Events of a run; with "Accept: text/event-stream", as they happen',
    schema: {
      params: ofRun,
      querystring: z.object({
        cursor: PAGE_CURSOR,
        newest: z.coerce.number().int().min(1).max(1000).optional().describe('Return only the newest N events'),
        limit: PAGE_LIMIT,
      }),
      response: { 200: page(EVENT) },
    },
  }),
  readLog: operation({
    id: 'readLog',
    method: 'GET',
    url: '/v1/runs/:id/logs',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Log of a rank from a byte offset; the X-Next-Offset header gives the offset of the next part',
    answerHeader: 'x-next-offset',
    schema: {
      params: ofRun,
      querystring: z.object({
        attempt: natural.optional().describe('Default: the current attempt'),
        rank: natural.default(0),
        offset: z.coerce.number().int().default(0).describe('Byte offset; negative counts from the end'),
      }),
      response: { 200: textResponse('As much as is there, at most 1 MiB') },
    },
  }),
}

const AGENTS = {
  announce: operation({
    id: 'announce',
    method: 'POST',
    url: '/v1/runs/:id/agents',
    need: 'run',
    summary: 'Attach an agent to its run; returns what the agent must do; idempotent',
    schema: { params: ofRun, body: ANNOUNCEMENT, response: { 200: ANNOUNCEMENT_RESPONSE } },
  }),
  report: operation({
    id: 'report',
    method: 'POST',
    url: '/v1/runs/:id/attempts/:attempt/reports',
    need: 'run',
    summary: 'Report what an agent of the run observed; idempotent by sequence number',
    schema: { params: ofAttempt, body: REPORT, response: { 200: REPORT_RESPONSE } },
  }),
  appendLog: operation({
    id: 'appendLog',
    method: 'POST',
    url: '/v1/runs/:id/attempts/:attempt/logs',
    need: 'run',
    summary: 'Append a part of the log of a rank, as text/plain; idempotent',
    schema: {
      params: ofAttempt,
      querystring: z.object({ node: natural, rank: natural, offset: z.coerce.number().int().nonnegative() }),
      response: { 200: LOG_STORED },
    },
  }),
}

const OTHERS = {
  getFleetLedger: operation({
    id: 'getFleetLedger',
    method: 'GET',
    url: '/v1/ledger',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Where the time of runs that ended since a given day went, by cause and by project or team',
    schema: {
      querystring: z.object({
        since: z.coerce.number().nonnegative().default(0).describe('Seconds since 1970-01-01 UTC; the whole of that day counts'),
        by: z.enum(FLEET_GROUPS).default('cause'),
      }),
      response: { 200: FLEET_LEDGER },
    },
  }),
  getPlan: operation({
    id: 'getPlan',
    method: 'GET',
    url: '/v1/plans/:id',
    need: { role: 'viewer', scope: 'project' },
    summary: 'A plan by its content address',
    schema: { params: ofRun, response: { 200: PLAN_VIEW } },
  }),
  storePlan: operation({
    id: 'storePlan',
    method: 'POST',
    url: '/v1/plans',
    need: { role: 'member', scope: 'project' },
    summary: 'Store a plan under its content address; idempotent',
    schema: {
      querystring: z.object({ project: name.default('default').describe('Project that it belongs to') }),
      body: PLAN,
      response: { 201: PLAN_VIEW },
    },
  }),
  listNodes: operation({
    id: 'listNodes',
    method: 'GET',
    url: '/v1/nodes',
    need: { role: 'viewer', scope: 'any' },
    summary: 'Nodes of the cluster',
    schema: { response: { 200: page(NODE) } },
  }),
  drainNode: operation({
    id: 'drainNode',
    method: 'POST',
    url: '/v1/nodes/:name/drain',
    need: { role: 'operator', scope: 'site' },
    summary: 'Drain a node: it gets no new jobs',
    schema: { params: z.object({ name }), body: DRAIN_NODE, response: { 200: NODE } },
  }),
  undrainNode: operation({
    id: 'undrainNode',
    method: 'POST',
    url: '/v1/nodes/:name/undrain',
    need: { role: 'operator', scope: 'site' },
    summary: 'Return a node to service with a clean record',
    schema: { params: z.object({ name }), response: { 200: NODE } },
  }),
  listTokens: operation({
    id: 'listTokens',
    method: 'GET',
    url: '/v1/tokens',
    need: { role: 'admin', scope: 'project' },
    summary: 'Tokens of people, without their secrets',
    schema: { response: { 200: page(TOKEN) } },
  }),
  createToken: operation({
    id: 'createToken',
    method: 'POST',
    url: '/v1/tokens',
    need: { role: 'admin', scope: 'project' },
    summary: 'Create a token; the secret is shown only once',
    schema: { body: CREATE_TOKEN, response: { 201: CREATED_TOKEN } },
  }),
  rotateToken: operation({
    id: 'rotateToken',
    method: 'POST',
    url: '/v1/tokens/:id/rotate',
    need: { role: 'viewer', scope: 'any' },
    summary: "Give a token a new secret, which is shown only once: anyone their own, an admin those of the admin's projects",
    schema: { params: z.object({ id: tokenId }), body: ROTATE_TOKEN, response: { 200: CREATED_TOKEN } },
  }),
  getPrincipal: operation({
    id: 'getPrincipal',
    method: 'GET',
    url: '/v1/principal',
    need: { role: 'viewer', scope: 'any' },
    summary: 'Who the token of the request belongs to, and what it may do in which projects',
    schema: { response: { 200: PRINCIPAL } },
  }),
  revokeToken: operation({
    id: 'revokeToken',
    method: 'DELETE',
    url: '/v1/tokens/:id',
    need: { role: 'admin', scope: 'project' },
    summary: 'Revoke a token',
    schema: { params: z.object({ id: tokenId }), response: { 204: z.null().describe('Done') } },
  }),
  createLoginCode: operation({
    id: 'createLoginCode',
    method: 'POST',
    url: '/v1/login-codes',
    need: { role: 'viewer', scope: 'any' },
    summary: 'Create a code that opens the console once within five minutes, with the token of the request',
    schema: { response: { 201: LOGIN_CODE } },
  }),
  logIn: operation({
    id: 'logIn',
    method: 'POST',
    url: '/v1/login',
    need: 'open',
    summary: 'Exchange a login code for its token; the code is the credential and works once',
    schema: { body: LOG_IN, response: { 200: LOGGED_IN } },
  }),
  listEvents: operation({
    id: 'listEvents',
    method: 'GET',
    url: '/v1/events',
    need: { role: 'viewer', scope: 'project' },
    summary: 'All events, oldest first; with "Accept: text/event-stream", as they happen, from now on or from Last-Event-ID',
    schema: { querystring: z.object({ cursor: PAGE_CURSOR, limit: PAGE_LIMIT }), response: { 200: page(EVENT) } },
  }),
  openApi: operation({
    id: 'openApi',
    method: 'GET',
    url: '/v1/openapi.json',
    need: { role: 'viewer', scope: 'any' },
    summary: 'This OpenAPI description',
    schema: { response: { 200: z.looseObject({ openapi: z.string() }) } },
  }),
  metrics: operation({
    id: 'metrics',
    method: 'GET',
    url: '/metrics',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Metrics for Prometheus',
    schema: { response: { 200: textResponse('Prometheus text format 0.0.4') } },
  }),
}

export const OPERATIONS = {
  ...RUNS,
  ...AGENTS,
  ...DEPLOYMENTS,
  ...GATEWAYS,
  ...AUDITS,
  ...BUDGETS,
  ...SECRETS,
  ...ARTIFACTS,
  ...MODELS,
  ...TEAM_OPERATIONS,
  ...CERTIFICATES,
  ...SIGN_IN,
  ...SESSIONS,
  ...OTHERS,
}

// The HTTP API, put together. Handlers translate and call; the rules are in `services` and in the pure packages.

import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { certificateFacts, type LiveCertificate } from '@ironlaw/certificates'
import { IronlawError } from '@ironlaw/contracts'
import { PROBLEM } from '@ironlaw/contracts/api'
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { addArtifactRoutes, addNameRoutes } from '../artifacts/artifact-routes.ts'
import { NO_ARTIFACTS } from '../artifacts/site-artifacts.ts'
import { batchCalls } from '../concurrent-calls/batch.ts'
import { addProfileRoutes } from '../deploy/profile-routes.ts'
import { addDeploymentRoutes, addGatewayRoutes } from '../deploy/routes.ts'
import { addModelRoutes } from '../registry/model-routes.ts'
import { runLogs } from '../runs/run-logs.ts'
import { callersOf, TOKEN_TEXT } from '../access/tokens.ts'
import { accessTrail, type AccessTrail } from '../access/access-trail.ts'
import type { AuditSending } from '../audit-sinks/audit-sending.ts'
import { addAccessTrail, recordUnroutable } from './access-hooks.ts'
import { addApiHeaders } from './api-headers.ts'
import { addOpenLimit, type ApiLimits, callerLimit, LockOut } from './api-limits.ts'
import { addAuditRoutes } from './audit-routes.ts'
import { addBudgetRoutes } from './budget-routes.ts'
import { NO_KEYS, projectSecrets } from '../secrets/project-secrets.ts'
import { redaction } from '../secrets/redaction.ts'
import { addSecretRoutes } from '../secrets/secret-routes.ts'
import { identityProvider } from '../sign-in/provider.ts'
import { addSignInRoutes } from '../sign-in/routes.ts'
import { addSessionRoutes } from '../sign-in/session-routes.ts'
import { sessionCallers } from '../sign-in/session-callers.ts'
import { type SignInSettings, withoutCode } from '../sign-in/settings.ts'
import { addAgentRoutes } from './agent-routes.ts'
import { checkBody, LIMITS } from './body-check.ts'
import { addAuthentication, authenticate, type Authenticator, FAILED_TOKENS } from './authentication.ts'
import { addRunAuthorization } from './authorization.ts'
import { addCertificateRoutes } from './certificate-routes.ts'
import { addEventRoutes } from './event-routes.ts'
import { addHealthRoutes } from './health-routes.ts'
import { addFleetRoutes, addPlanRoutes } from './fleet-routes.ts'
import { addLoginRoutes } from './login-routes.ts'
import { metrics as newMetrics } from './metrics.ts'
import { KnownTokens } from './known-tokens.ts'
import { OverLimit } from './rate-limit.ts'
import { describeOperations } from './open-api.ts'
import type { Api, ApiPorts } from './ports.ts'
import { problemOf } from './problem.ts'
import { addTeamRoutes } from './team-routes.ts'
import { addRotationRoute, addTokenRoutes } from './token-routes.ts'
import { addProgressRoutes, addRunRoutes } from './run-routes.ts'
import { secureServer } from './secure-server.ts'

export type { Api } from './ports.ts'

export type ApiOptions = Pick<ApiPorts, 'database' | 'fleet' | 'now' | 'onWake'> & {
  readonly logDirectory: string
  /** Most bytes of logs that a run may leave. */
  readonly logLimit_bytes?: number
  /** Calls to shared storage that hang, for the metrics. */
  readonly hanging?: () => number
  /** Where JSON lines about requests go; nowhere when absent. */
  readonly logTo?: { write(line: string): void }
  /** Of engines; there are none where it is absent. */
  readonly replicaLogs?: ApiPorts['replicaLogs']
  /** Addresses or networks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[]
  /** None can be set where it is absent. */
  readonly secrets?: ApiPorts['secrets']
  /** There are none where it is absent. */
  readonly artifacts?: ApiPorts['artifacts']
  /** How often one caller may ask; without limits when absent, as in tests. */
  readonly limits?: ApiLimits
  /** Sends the audit trail elsewhere. */
  readonly auditSending?: Pick<AuditSending, 'sendAccess' | 'view'>
  /** How people sign in; with tokens alone where it is absent. */
  readonly signIn?: SignInSettings
  /** Served with it; plain HTTP where it is absent. */
  readonly certificate?: LiveCertificate
  /** There are no certificates to be had where it is absent. */
  readonly authority?: ApiPorts['authority']
}

const LOG_LIMIT_BYTES = 1 << 30
const REQUEST_TIMEOUT_MS = 30_000
/** A client that has not sent its headers by then is not going to. */
const HEADERS_TIMEOUT_MS = 10_000
const CONNECTION_LIMITS = { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 1000 }
/** Ten thousand live runs with an agent each, watchers and people; beyond it connections are closed as they come. */
const MAX_CONNECTIONS = 16_384
const HANDLER_TIMEOUT_MS = 20_000
const TOKENS_AT_ONCE = 1000

export async function buildApi({
  database,
  fleet,
  now,
  onWake,
  logDirectory,
  hanging = () => 0,
  logLimit_bytes = LOG_LIMIT_BYTES,
  logTo,
  replicaLogs = async () => ({ text: '', next: 0 }),
  trustedProxies = [],
  secrets = projectSecrets(database, NO_KEYS),
  artifacts = NO_ARTIFACTS,
  auditSending = { sendAccess: () => undefined, view: () => [] },
  signIn: settings,
  certificate,
  limits,
  authority = noAuthority,
}: ApiOptions): Promise<Api> {
  const signIn = settings && { database, now, provider: identityProvider(settings) }
  const authenticator: Authenticator = {
    now,
    limit: limits ? callerLimit(limits) : () => undefined,
    failures: new LockOut(FAILED_TOKENS),
    known: new KnownTokens(),
    admit: batchCalls(TOKENS_AT_ONCE, (asking) => callersOf(database, asking)),
    sessions: signIn && sessionCallers(signIn),
  }
  const logProblem = (problem: string): void => app.log.error(problem)
  const trail = accessTrail({ database, now, logProblem, onStored: auditSending.sendAccess })
  const app = newServer({ logTo, trustedProxies, certificate }, { authenticator, trail })
  const metrics = newMetrics()
  const closing = new AbortController()
  await describeOperations(app)
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply))
  addApiHeaders(app)
  if (limits) addOpenLimit(app, limits)
  addAuthentication(app, authenticator)
  addAccessTrail(app, { trail, now })
  app.addHook('preValidation', async ({ body }) => checkBody(body))
  addRunAuthorization(app, database)
  measureResponses(app, metrics)
  app.addHook('preClose', async () => closing.abort())
  const logs = runLogs(logDirectory, { bytes: logLimit_bytes })
  const ports: ApiPorts = {
    database,
    fleet,
    now,
    onWake,
    metrics,
    hanging,
    auditSinks: auditSending.view,
    authority,
    ownNames: () => (certificate ? certificateFacts(certificate.current().cert).names : [hostname()]),
    logs,
    replicaLogs,
    secrets,
    redaction: redaction(secrets),
    artifacts,
    closing: closing.signal,
  }
  addHealthRoutes(app, database)
  addSignInRoutes(app, signIn)
  for (const add of ROUTES) add(app, ports)
  return app
}

function measureResponses(app: Api, metrics: ReturnType<typeof newMetrics>): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, url = 'unknown' } = request.routeOptions
    metrics.served({
      operation: `${url === 'unknown' ? '' : `${String(method)} `}${url}`,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    })
  })
}

const noAuthority: ApiPorts['authority'] = () => Promise.reject(new IronlawError('IL_NOT_FOUND', { kind: 'authority', id: 'of this site' }))

const ROUTES = [
  addRunRoutes,
  addProgressRoutes,
  addAgentRoutes,
  addEventRoutes,
  addAuditRoutes,
  addBudgetRoutes,
  addFleetRoutes,
  addPlanRoutes,
  addTokenRoutes,
  addRotationRoute,
  addTeamRoutes,
  addSessionRoutes,
  addLoginRoutes,
  addSecretRoutes,
  addArtifactRoutes,
  addNameRoutes,
  addModelRoutes,
  addDeploymentRoutes,
  addGatewayRoutes,
  addProfileRoutes,
  addCertificateRoutes,
]

type NewServer = {
  readonly logTo: ApiOptions['logTo']
  readonly trustedProxies: readonly string[]
  readonly certificate: LiveCertificate | undefined
}

function newServer({ logTo, trustedProxies, certificate }: NewServer, admission: Admission): Api {
  const app: Api = fastify({
    logger: logTo ? { level: 'info', stream: logTo, redact: REDACTED, serializers: SERIALIZERS } : false,
    bodyLimit: LIMITS.json,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: CONNECTION_LIMITS,
    ...(certificate && { serverFactory: secureServer(certificate, { requestTimeout: REQUEST_TIMEOUT_MS, ...CONNECTION_LIMITS }) }),
    handlerTimeout: HANDLER_TIMEOUT_MS,
    exposeHeadRoutes: false,
    genReqId: ({ headers }) => /^[\w-]{1,64}$/.exec(String(headers['x-request-id'] ?? ''))?.[0] ?? randomBytes(9).toString('base64url'),
    // A path that cannot be decoded never reaches the hooks, so it is authenticated here.
    frameworkErrors: (error, request, reply) => void answerAuthenticated(admission, { error, request, reply }),
  }).withTypeProvider<ZodTypeProvider>()
  app.server.maxConnections = MAX_CONNECTIONS
  return app
}

type FailedRequest = { readonly error: unknown; readonly request: FastifyRequest; readonly reply: FastifyReply }

type Admission = { readonly authenticator: Authenticator; readonly trail: AccessTrail }

async function answerAuthenticated({ authenticator, trail }: Admission, { error, request, reply }: FailedRequest): Promise<void> {
  try {
    await authenticate(authenticator, request)
    sendProblem(error, request, reply)
  } catch (cause) {
    if (problemOf(cause, request.id).status === 401) await recordUnroutable(trail, request, authenticator.now())
    sendProblem(cause, request, reply)
  }
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error, request.id)
  if (problem.status >= 500) request.log.error({ err: error }, problem.code)
  if (problem.status === 503 || problem.status === 429) reply.header('retry-after', String(retryAfter(error)))
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  reply.code(problem.status).type('application/problem+json').serializer(JSON.stringify).send(PROBLEM.parse(problem))
}

const RETRY_AFTER_S = 2

const retryAfter = (error: unknown): number => (error instanceof OverLimit ? Math.ceil(error.retryAfter_s) : RETRY_AFTER_S)

const REDACTED = ['authorization', 'cookie', 'secret', 'token', 'value', 'environment'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])

const SERIALIZERS = {
  // A token does not belong in a URL; if a client puts one there, it stays out of the log.
  req: ({ method, url }: FastifyRequest) => ({ method, url: withoutCode(url).replaceAll(TOKEN_TEXT, 'il_...') }),
  // The `detail` of a failed statement quotes the row, and a row may hold what a program was given in confidence.
  err: (error: Error) => ({
    type: error.name,
    message: error.message,
    stack: error.stack ?? '',
    ...('code' in error && { code: error.code }),
  }),
}

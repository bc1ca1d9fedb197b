// The HTTP API, put together. Handlers translate and call; the rules are in `services` and in the pure packages.

import { randomBytes } from 'node:crypto'
import { PROBLEM } from '@ironlaw/contracts/api'
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { batchCalls } from '../concurrent-calls/batch.ts'
import { addDeploymentRoutes, addGatewayRoutes } from '../deploy/routes.ts'
import { runLogs } from '../runs/run-logs.ts'
import { callersOf, TOKEN_TEXT } from '../access/tokens.ts'
import { addAgentRoutes } from './agent-routes.ts'
import { checkBody, LIMITS } from './body-check.ts'
import { addAuthentication, authenticate, type Authenticator, FAILED_TOKENS } from './authentication.ts'
import { addEventRoutes } from './event-routes.ts'
import { addHealthRoutes } from './health-routes.ts'
import { addFleetRoutes, addTokenRoutes } from './fleet-routes.ts'
import { addLoginRoutes } from './login-routes.ts'
import { metrics as newMetrics } from './metrics.ts'
import { KnownTokens } from './known-tokens.ts'
import { OverLimit, RateLimit } from './rate-limit.ts'
import { describeOperations } from './open-api.ts'
import type { Api, ApiPorts } from './ports.ts'
import { problemOf } from './problem.ts'
import { addProgressRoutes, addRunRoutes } from './run-routes.ts'

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
}

const LOG_LIMIT_BYTES = 1 << 30
const REQUEST_TIMEOUT_MS = 30_000
/** A client that has not sent its headers by then is not going to. */
const HEADERS_TIMEOUT_MS = 10_000
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
}: ApiOptions): Promise<Api> {
  const failures = new RateLimit(FAILED_TOKENS, () => performance.now() / 1000)
  const authenticator: Authenticator = {
    now,
    failures,
    known: new KnownTokens(),
    admit: batchCalls(TOKENS_AT_ONCE, (asking) => callersOf(database, asking)),
  }
  const app: Api = fastify({
    logger: logTo ? { level: 'info', stream: logTo, redact: REDACTED, serializers: SERIALIZERS } : false,
    bodyLimit: LIMITS.json,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 1000 },
    handlerTimeout: HANDLER_TIMEOUT_MS,
    exposeHeadRoutes: false,
    genReqId: ({ headers }) => /^[\w-]{1,64}$/.exec(String(headers['x-request-id'] ?? ''))?.[0] ?? randomBytes(9).toString('base64url'),
    // A path that cannot be decoded never reaches the hooks, so it is authenticated here.
    frameworkErrors: (error, request, reply) => void answerAuthenticated(authenticator, { error, request, reply }),
  }).withTypeProvider<ZodTypeProvider>()
  app.server.maxConnections = MAX_CONNECTIONS
  const metrics = newMetrics()
  const closing = new AbortController()
  await describeOperations(app)
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply))
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })
  addAuthentication(app, authenticator)
  app.addHook('preValidation', async ({ body }) => checkBody(body))
  app.addHook('onResponse', async (request, reply) => {
    const { method, url = 'unknown' } = request.routeOptions
    metrics.served({
      operation: `${url === 'unknown' ? '' : `${String(method)} `}${url}`,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    })
  })
  app.addHook('preClose', async () => closing.abort())
  const logs = runLogs(logDirectory, { bytes: logLimit_bytes })
  const ports: ApiPorts = { database, fleet, now, onWake, metrics, hanging, logs, replicaLogs, closing: closing.signal }
  addHealthRoutes(app, database)
  const deploying = [addDeploymentRoutes, addGatewayRoutes]
  for (const add of [
    addRunRoutes,
    addProgressRoutes,
    addAgentRoutes,
    addEventRoutes,
    addFleetRoutes,
    addTokenRoutes,
    addLoginRoutes,
    ...deploying,
  ])
    add(app, ports)
  return app
}

type FailedRequest = { readonly error: unknown; readonly request: FastifyRequest; readonly reply: FastifyReply }

async function answerAuthenticated(authenticator: Authenticator, { error, request, reply }: FailedRequest): Promise<void> {
  try {
    await authenticate(authenticator, request)
    sendProblem(error, request, reply)
  } catch (cause) {
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

const REDACTED = ['authorization', 'secret', 'token', 'environment'].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

const SERIALIZERS = {
  // A token does not belong in a URL; if a client puts one there, it stays out of the log.
  req: ({ method, url }: FastifyRequest) => ({ method, url: url.replaceAll(TOKEN_TEXT, 'il_...') }),
  // The `detail` of a failed statement quotes the row, and a row may hold what a program was given in confidence.
  err: (error: Error) => ({
    type: error.name,
    message: error.message,
    stack: error.stack ?? '',
    ...('code' in error && { code: error.code }),
  }),
}

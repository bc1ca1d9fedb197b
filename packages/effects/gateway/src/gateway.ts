// The gateway as one part: two listeners (for clients and for operators), a snapshot, and an orderly shutdown.

import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { followCertificate, type LiveCertificate, secureOptions } from '@ironlaw/certificates'
import type { GrantResponse } from '@ironlaw/policies/serving'
import { apiError, errorBody } from '@ironlaw/contracts'
import { adminServer } from './front/admin-server.ts'
import { type Budgets, NO_BUDGETS } from './budget/budgets.ts'
import type { Context } from './context.ts'
import { Directory } from './configuration/directory.ts'
import { unexpectedReporter } from './front/edge.ts'
import { RequestHandler } from './front/request-handler.ts'
import { HeldBytes } from './front/held-bytes.ts'
import { Metrics } from './reporting/metrics.ts'
import { RequestLog } from './reporting/request-log.ts'
import { ResponseCache } from './admission/response-cache.ts'
import { tokenWarnings } from './configuration/secrets.ts'
import { Profiler, type ProfilingShares } from './profiling/profiler.ts'
import type { ProfileWindows } from './profiling/profile-windows.ts'
import { Shadow } from './delivery/shadow.ts'
import type { QuotaReport } from '@ironlaw/contracts/gateway-quota'
import type { GatewaySnapshot } from '@ironlaw/contracts/gateway-snapshot'
import { isTooOld, type SnapshotAge } from './configuration/snapshot-status.ts'
import { type Totals, totalsOf } from './reporting/totals.ts'

export type GatewayOptions = SnapshotAge & {
  readonly snapshot: GatewaySnapshot
  readonly host?: string
  readonly port?: number
  /** Health and metrics, on a separate port: anyone who can reach it reads the names of tenants and models and their volumes. */
  readonly adminHost?: string
  readonly adminPort?: number
  readonly logDirectory?: string
  readonly budgets?: Budgets
  readonly cache_bytes?: number
  /** Clients' connections at once; more are closed as they come. */
  readonly max_connections?: number
  /** Bytes of bodies and answers held at once; half of it for one tenant. */
  readonly held_bytes?: number
  /** A control plane divides the tenants' limits among its gateways: without a grant of it only a small share may be used. */
  readonly dividedQuotas?: boolean
  /** A control plane takes what is counted of answers: by these shares of them, by the usual ones where it is empty. */
  readonly profiling?: { readonly shares?: ProfilingShares }
  /** Clients are served HTTPS with it; plain HTTP where it is absent. */
  readonly certificate?: LiveCertificate
  /** Shown to engines that want to know who calls. */
  readonly engineIdentity?: LiveCertificate
  /** Called for unexpected exceptions; a line each, at most one a second. */
  readonly onUnexpected?: (line: string) => void
  /** Called with the problems of a configuration that is applied nevertheless. */
  readonly onWarning?: (line: string) => void
}

export type Gateway = {
  readonly url: string
  readonly adminUrl: string
  readonly metrics: Metrics
  readonly apply: (snapshot: GatewaySnapshot) => void
  readonly running: () => number
  /** Takes what threw outside of any request. */
  readonly unexpected: (cause: unknown) => void
  readonly totals: () => Totals
  /** Which grant of quota shares is in use, and what tenants request here. */
  readonly quotaReport: () => Pick<QuotaReport, 'applied' | 'demand'>
  readonly applyGrant: (answer: GrantResponse) => void
  /** What was counted of answers, for the control plane. */
  readonly profiles: ProfileWindows | undefined
  /** Stops accepting connections, lets running requests finish for `drain_s`, then ends them. */
  readonly stop: (options?: { readonly drain_s?: number }) => Promise<void>
}

const HEADERS_MS = 10_000
const KEEP_ALIVE_MS = 75_000
/** A client that has sent its head gets its own time for the body; this one ends connections that got past it. */
const REQUEST_MARGIN_MS = 15_000
const CACHE_BYTES = 67_108_864
/** Ten thousand streams take 33 KiB each; with one connection to an engine for each, this stays below the usual 65,536 descriptors. */
const MAX_CONNECTIONS = 20_000
/** 17,000 requests at once with prompts of 8,000 tokens. */
const HELD_BYTES = 536_870_912
/** One tenant may have half: enough where there is only one, and there is always room for others. */
const TENANT_SHARE = 0.5

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const {
    snapshot,
    host = '127.0.0.1',
    port = 0,
    adminHost = '127.0.0.1',
    adminPort = 0,
    logDirectory,
    budgets = NO_BUDGETS,
    cache_bytes = CACHE_BYTES,
    max_connections = MAX_CONNECTIONS,
    held_bytes = HELD_BYTES,
    onUnexpected = console.error,
    onWarning = console.error,
  } = options
  const now = (): number => performance.now() / 1000
  const metrics = new Metrics()
  const onDrop = (lines: number): void => metrics.count('log_dropped', lines)
  const log = logDirectory === undefined ? undefined : new RequestLog(logDirectory, { onDrop })
  const { dividedQuotas: divided = false, engineIdentity } = options
  const directory = new Directory(snapshot, now(), { divided, engineIdentity })
  const unexpected = unexpectedReporter(() => metrics.count('unexpected'), { write: onUnexpected, now_ms: () => performance.now() })
  const shadow = new Shadow(metrics, unexpected)
  const profiler = options.profiling && newProfiler(options.profiling, metrics, unexpected)
  const cache = new ResponseCache({ limit_bytes: cache_bytes })
  const isStale = (): boolean => isTooOld(options)
  const context: Context = {
    directory,
    metrics,
    log,
    cache,
    held: new HeldBytes({ total_bytes: held_bytes, tenant_bytes: TENANT_SHARE * held_bytes }),
    budgets,
    shadow,
    profiler,
    now,
    draw: Math.random,
    unexpected,
    isStale,
  }
  const front = new RequestHandler(context)
  const server = clientServer(context, front, options.certificate)
  server.maxConnections = max_connections
  const admin = adminServer({ context, isDraining: () => front.draining, snapshotStatus: options.snapshotStatus })
  const address = await listen(server, { host, port })
  const url = options.certificate ? address.replace(/^http:/, 'https:') : address
  const adminUrl = await listen(admin, { host: adminHost, port: adminPort })
  const stop = async ({ drain_s = 30 }: { readonly drain_s?: number } = {}): Promise<void> => {
    front.draining = true
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    const until = now() + drain_s
    while (front.running > 0 && now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
    front.close()
    server.closeAllConnections()
    await closed
    admin.close()
    admin.closeAllConnections()
    await closeParts(context)
  }
  const configure = (next: GatewaySnapshot): void => {
    limitRequests(server, next)
    for (const warning of tokenWarnings(next)) onWarning(warning)
  }
  const apply = (next: GatewaySnapshot): void => (directory.apply(next, now()), configure(next))
  configure(snapshot)
  const face = { url, adminUrl, metrics, apply, unexpected, running: () => front.running, totals: () => totalsOf(directory, now()), stop }
  return { ...face, ...quotaMethods(directory, now), profiles: profiler?.windows }
}

async function closeParts({ shadow, directory, profiler, log }: Context): Promise<void> {
  shadow.close()
  for (const pool of directory.pools.values()) pool.close()
  await profiler?.close()
  await log?.close()
}

function newProfiler({ shares }: NonNullable<GatewayOptions['profiling']>, metrics: Metrics, unexpected: Context['unexpected']): Profiler {
  const onDrop = (): void => metrics.count('profiles_dropped')
  return new Profiler({ ...(shares && { shares }), clock: () => Date.now() / 1000, draw: Math.random, onDrop, unexpected })
}

const quotaMethods = (directory: Directory, now: () => number): Pick<Gateway, 'quotaReport' | 'applyGrant'> => ({
  quotaReport: () => ({ applied: directory.grantNumber, demand: directory.demand(now()) }),
  applyGrant: (answer) => directory.applyGrant(answer, now()),
})

function clientServer({ metrics }: Context, front: RequestHandler, certificate: LiveCertificate | undefined): Server {
  const answering = new WeakMap<Duplex, readonly ServerResponse[]>()
  const server = httpServer(certificate, (request, response) => {
    const { socket } = request
    answering.set(socket, [...(answering.get(socket) ?? []).filter(isUnderWay), response])
    front.handle(request, response)
  })
  server.on('connection', (socket) => {
    metrics.connections += 1
    socket.on('close', () => (metrics.connections -= 1))
  })
  server.on('drop', () => metrics.count('connections_refused'))
  server.on('clientError', (_, socket) => {
    const isAnswering = answering.get(socket)?.some((response) => response.headersSent && isUnderWay(response)) ?? false
    // In the middle of an answer a status line would be read as a part of it.
    if (!socket.writable || isAnswering) socket.destroy()
    // A client that ignores our end of the connection would hold it, and its place among those allowed, for ever.
    else socket.end(BAD_REQUEST, () => socket.destroy())
  })
  return server
}

function httpServer(certificate: LiveCertificate | undefined, handler: RequestListener): Server {
  const limits = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: 1000, keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true }
  if (!certificate) return createServer(limits, handler)
  const { ca: _ca, ...current } = certificate.current()
  const server = createSecureServer({ ...limits, ...secureOptions(current), handshakeTimeout: HEADERS_MS }, handler)
  followCertificate(server, certificate)
  return server
}

const isUnderWay = ({ writableFinished, destroyed }: ServerResponse): boolean => !writableFinished && !destroyed

/** Bodies have their own limit, which answers instead of cutting off; this one is behind it. */
function limitRequests(server: Server, { limits }: GatewaySnapshot): void {
  server.requestTimeout = HEADERS_MS + 1000 * limits.body_s + REQUEST_MARGIN_MS
}

const BAD_BODY = errorBody(apiError('invalid_value', 'this is not a valid HTTP request'))
const BAD_REQUEST = `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${BAD_BODY.length}\r\n\r\n${BAD_BODY}`

async function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 4096 }, resolve)
  })
  const address = server.address()
  return `http://${host}:${isAddress(address) ? address.port : port}`
}

const isAddress = (address: string | AddressInfo | null): address is AddressInfo => typeof address === 'object' && address !== null

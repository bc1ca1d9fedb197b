// The composition root: database, API, reconciler and bookkeeper of one control plane, started together and stopped in the opposite order. Jobs
// belong to the executor: they neither notice the start nor the stop.

import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { siteArtifacts } from '@ironlaw/control/artifacts'
import { API_LIMITS, type ApiLimits } from '@ironlaw/control/api-limits'
import { type AuditSending, startAuditSending } from '@ironlaw/control/audit-sending'
import type { AuditTarget } from '@ironlaw/control/audit-target'
import type { Authority } from '@ironlaw/certificates'
import { compactProfiles, PROFILES_REST_MS } from '@ironlaw/control/compact-profiles'
import { BOOKS_REST_MS, closeBooks } from '@ironlaw/control/bookkeeper'
import { underRightClock } from '@ironlaw/control/clock-guard'
import { type LineageSending, startLineageSending } from '@ironlaw/control/lineage-sending'
import type { LineageTarget } from '@ironlaw/control/lineage-target'
import { issueLoginCode } from '@ironlaw/control/login-codes'
import { reconcileDeployments } from '@ironlaw/control/deploy'
import { type Api, buildApi } from '@ironlaw/control/http'
import { publishSnapshot } from '@ironlaw/control/publish-snapshot'
import { reconcileRuns } from '@ironlaw/control/reconcile'
import { type Round, type Rounds, startRounds } from '@ironlaw/control/rounds'
import { promptLooks } from '@ironlaw/control/prompt-looks'
import { ownedSecrets } from '@ironlaw/control/owned-secrets'
import { replicaAccess } from '@ironlaw/control/replica-access'
import { replicaLogs } from '@ironlaw/control/replica-logs'
import { runStorage } from '@ironlaw/control/run-storage'
import { jobSecrets } from '@ironlaw/control/secret-delivery'
import { redaction } from '@ironlaw/control/redaction'
import { NO_KEYS, projectSecrets } from '@ironlaw/control/secrets'
import { createKeyFile, keyFile, type KeySource } from '@ironlaw/control/secrets-key-file'
import type { SignInSettings } from '@ironlaw/control/sign-in'
import { provideAuthority, type Site } from '@ironlaw/control/site'
import type { SharedStorage } from '@ironlaw/control/shared-storage'
import { principalOf } from '@ironlaw/control/tokens'
import { IronlawError } from '@ironlaw/contracts'
import type { Executor } from '@ironlaw/executors'
import { DEFAULT_DEPLOYMENT_LIMITS } from '@ironlaw/policies/deployment'
import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { DEFAULT_LIMITS, type RunLimits } from '@ironlaw/policies/run'
import { type Database, migrate, NO_LIMITS, openEmbedded, openPostgres, sealingKeys } from '@ironlaw/store'
import { serveConsole, type ConsoleFiles as ConsoleSite } from './console-files.ts'
import type { ApiTls } from './api-certificate.ts'
import { saveContext, type SavedContext } from './context-file.ts'
import { jobStorage, type JobUserOptions, jobUsersLine, openToUsers, ownedJobs } from './job-users.ts'
import { provideToken } from './run-token.ts'
import { securedReplicas } from './secured-replicas.ts'

export type ServerOptions = JobUserOptions & {
  /** postgres://..., a directory for a database inside this process, or 'memory'. */
  readonly database: string
  readonly listen: { readonly host: string; readonly port: number }
  /** Addresses or networks of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[]
  /** How often one caller may use the API. */
  readonly apiLimits?: ApiLimits
  /** Where the audit trail is sent. */
  readonly auditTargets?: readonly AuditTarget[]
  /** Where it is told which artifacts runs used and made; only with `artifacts`. */
  readonly lineageTarget?: LineageTarget
  /** With a certificate the API is HTTPS. */
  readonly tls?: ApiTls
  /** Of the site. */
  readonly authority?: () => Promise<Authority>
  readonly executor: Executor
  /** What the executor's nodes are filed under. */
  readonly cluster: string
  readonly site: Omit<Site, 'api'> & { readonly api?: string }
  readonly logDirectory: string
  /** Where commands on this machine find the address and an administrator's token. */
  readonly contextFile: string
  /** The file with the keys of secrets; none can be set where it is absent. */
  readonly secretsKey?: string
  /** Where artifacts are stored; there are none where it is absent. */
  readonly artifacts?: string
  /** How people sign in; with tokens alone where it is absent. */
  readonly signIn?: Omit<SignInSettings, 'publicUrl'> & { readonly publicUrl?: string }
  /** The site of the console, if it is not simply where a build leaves it. */
  readonly console?: ConsoleSite
  /** How patient it is with runs. */
  readonly limits?: RunLimits
  /** A round of reconciliation does not end: nothing but a new process helps. */
  readonly giveUp?: (problem: string) => void
  /** Takes JSON lines. */
  readonly logTo: { write(line: string): void }
}

export type Server = {
  readonly address: string
  /** Where the console is, if it was built. */
  readonly console: string | undefined
  /** Where commands on this machine find it. */
  readonly context: Omit<SavedContext, 'token'>
  /** Opens the console logged in: once, within minutes. Undefined where there is none to open. */
  readonly loginLink: () => Promise<string | undefined>
  readonly close: () => Promise<void>
}

/** The package that the site is built from. */
export const CONSOLE_SOURCE = join(import.meta.dirname, '../../console')

/** Below the 100 that PostgreSQL has by default, so that several control planes fit. */
const CONNECTIONS = 20

export async function startServer(options: ServerOptions): Promise<Server> {
  const { listen, cluster, limits = DEFAULT_LIMITS, logDirectory, contextFile, logTo } = options
  const database = await openDatabase(options.database)
  await mkdir(logDirectory, { recursive: true })
  let reconcilers: readonly Rounds[] = []
  const fleet = { cluster, executor: options.executor }
  const onWake = (): void => reconcilers.forEach((each) => each.wake())
  const logProblem = (problem: string): void => api.log.warn(problem)
  // Before the API, whose metrics read it while the rest of this still waits for the database.
  const storage = jobStorage(options, options.site.runs, logProblem)
  const { executor, ownership } = ownedJobs({ ...options, ...options.site, database, storage, host: listen.host, now })
  const logs = replicaLogs(options.site, storage)
  const { tls } = options
  const certificate = { ...(tls && { certificate: tls.certificate }), ...(options.authority && { authority: options.authority }) }
  const secrets = projectSecrets(database, await secretsKeys(database, options.secretsKey))
  const { trustedProxies = [], auditTargets = [] } = options
  const auditSending = startAuditSending({ database, targets: auditTargets, now, logProblem })
  const signIn = options.signIn && { signIn: signInSettings(options.signIn, () => address) }
  const asking = { logTo, trustedProxies, auditSending, limits: options.apiLimits ?? API_LIMITS }
  const artifacts = options.artifacts === undefined ? undefined : siteArtifacts({ database, url: options.artifacts, now })
  const reading = { hanging: storage.stuck, logDirectory, replicaLogs: logs, secrets, ...(artifacts && { artifacts }) }
  const api = await buildApi({ database, fleet, now, onWake, ...reading, ...asking, ...signIn, ...certificate })
  const address = await listenOn(api, options)
  const page = serveConsole(api.server, options.console ?? { folder: join(CONSOLE_SOURCE, 'dist') })
  if (tls) requireTls(api)
  const site = siteAt(address, options)
  const context = await saveContext(database, { file: contextFile, api: address, ...(tls?.ca !== undefined && { ca: tls.ca }), at: now() })
  const holder = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`
  const looks = promptLooks()
  const marked = await storage.perform('mark', { directory: site.runs })
  if ('away' in marked) logProblem(`storage at ${site.runs}: ${marked.away}; runs wait until it answers`)
  else await provideAuthority(site, storage)
  for (const problem of await openToUsers(options, { storage, runs: site.runs, logDirectory })) logProblem(problem)
  api.log.info(jobUsersLine({ ...options, host: listen.host }))
  const provideRunToken = (run: string) =>
    looks(`token ${run}`, () => provideToken(database, { storage, site, run, at: now(), ...(ownership && { ownership }) }))
  const delivered = ownedSecrets(jobSecrets({ storage, secrets }), ownership)
  const redacted = redaction(secrets)
  const common = { database, executor, site, secrets: delivered, redaction: redacted, now, holder }
  const ports = {
    ...common,
    cluster,
    storage: runStorage(site, storage, looks),
    limits,
    patience_ms: PATIENCE_MS,
    provideToken: provideRunToken,
  }
  await publishSnapshot(database)
  void auditSending.sendHeads()
  const certificates = await securedReplicas(options, { storage, ownership, logProblem })
  const access = replicaAccess(site, storage, { own: certificates?.own })
  const replicaSite = { ...site, secureReplicas: certificates !== undefined }
  const deploying = { ...common, ...(certificates && { certificates }), site: replicaSite, access, limits: DEFAULT_DEPLOYMENT_LIMITS }
  const guarded = (round: () => Promise<Round>) => underRightClock({ database, now, told: logProblem }, round)
  const startReconciler = (round: () => Promise<Round>): Rounds =>
    startRounds(guarded(round), logProblem, { giveUp: options.giveUp ?? logProblem })
  reconcilers = [
    startReconciler(() => reconcileRuns(ports)),
    startReconciler(() => reconcileDeployments({ ...deploying, rollout: DEFAULT_ROLLOUT })),
  ]
  const background = startBackground({ database, logProblem }, guarded)
  const lineage = startLineage(options, { database, holder, now, logProblem })
  return {
    address,
    console: page === undefined ? undefined : address + page,
    context,
    loginLink: async () => page && `${address}${page}#code=${await createLoginCode(database, context.token)}`,
    close: () => closeServer({ api, reconcilers, background, lineage, storage, auditSending, database }),
  }
}

type BackgroundPorts = { readonly database: Database; readonly logProblem: (problem: string) => void }

/** What may come later than the work of a control plane, and does not keep it waiting. */
function startBackground(
  { database, logProblem }: BackgroundPorts,
  guarded: (round: () => Promise<Round>) => () => Promise<Round>,
): readonly Rounds[] {
  return [
    startRounds(() => closeBooks({ database, now }), logProblem, { rest_ms: BOOKS_REST_MS }),
    // An hour is closed for good, so not by a clock that is ahead.
    startRounds(
      guarded(() => compactProfiles({ database, now })),
      logProblem,
      { rest_ms: PROFILES_REST_MS },
    ),
  ]
}

type LineagePorts = Omit<Parameters<typeof startLineageSending>[0], 'target' | 'storage'>

const startLineage = ({ lineageTarget: target, artifacts: storage }: ServerOptions, ports: LineagePorts): LineageSending | undefined =>
  target && storage !== undefined ? startLineageSending({ target, storage, ...ports }) : undefined

const siteAt = (api: string, { site, tls, artifacts }: ServerOptions): Site => ({
  api,
  ...site,
  ...(tls?.ca !== undefined && { ca: tls.ca }),
  ...(artifacts !== undefined && { artifacts }),
})

/** A new key beside secrets that need another would only hide that the file is missing. */
async function secretsKeys(database: Database, file: string | undefined): Promise<KeySource> {
  if (file === undefined) return NO_KEYS
  if ((await sealingKeys(database)).length === 0) await createKeyFile(file)
  const keys = keyFile(file)
  await keys.read()
  return keys
}

/** The address is known once the API listens. */
function signInSettings({ publicUrl, ...settings }: NonNullable<ServerOptions['signIn']>, address: () => string): SignInSettings {
  return { ...settings, publicUrl: () => publicUrl ?? address() }
}

/** Jobs and commands use the address that stands in the certificate, which for files only a person knows. */
async function listenOn(api: Api, { listen, tls, site }: ServerOptions): Promise<string> {
  const address = await api.listen({ host: listen.host, port: listen.port })
  return tls ? (site.api ?? address.replace(/^http:/, 'https:')) : address
}

/** A browser that was here once does not come back without TLS, whoever asks it to. */
const STRICT_TRANSPORT = 'max-age=31536000'

function requireTls({ server }: Api): void {
  server.prependListener('request', (_, response) => response.setHeader('strict-transport-security', STRICT_TRANSPORT))
}

async function createLoginCode(database: Database, token: string): Promise<string> {
  const principal = await principalOf(database, { authorization: `Bearer ${token}`, at: now() })
  if (principal?.kind !== 'person') throw new IronlawError('IL_UNAUTHENTICATED', {})
  return (await issueLoginCode(database, { principal: principal.id, token, at: now() })).code
}

/** Listing jobs takes Slurm milliseconds, and seconds while it looks for a node that has just died. */
const PATIENCE_MS = 500

const now = (): number => Date.now() / 1000

async function openDatabase(where: string): Promise<Database> {
  if (!/^postgres(?:ql)?:\/\//.test(where)) {
    const embedded = await openEmbedded(where)
    await migrate(embedded)
    return embedded
  }
  const patient = openPostgres(where, { max: 1, limits: NO_LIMITS })
  try {
    await migrate(patient)
  } finally {
    await patient.destroy()
  }
  return openPostgres(where, { max: CONNECTIONS })
}

type ServerParts = {
  readonly api: Api
  readonly reconcilers: readonly Rounds[]
  readonly background: readonly Rounds[]
  readonly lineage: LineageSending | undefined
  readonly storage: SharedStorage
  readonly auditSending: AuditSending
  readonly database: Database
}

async function closeServer({ api, reconcilers, background, lineage, storage, auditSending, database }: ServerParts): Promise<void> {
  await Promise.all(reconcilers.map((each) => each.stop()))
  await Promise.all(background.map((each) => each.stop()))
  await lineage?.close()
  await api.close()
  storage.close()
  await auditSending.close()
  await database.destroy()
}

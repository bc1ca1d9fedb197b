// The composition root: database, API, reconciler and bookkeeper of one control plane, started together and stopped in the opposite order. Jobs
// belong to the executor: they neither notice the start nor the stop.

import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { BOOKS_REST_MS, closeBooks } from '@ironlaw/control/bookkeeper'
import { underRightClock } from '@ironlaw/control/clock-guard'
import { issueLoginCode } from '@ironlaw/control/login-codes'
import { reconcileDeployments } from '@ironlaw/control/deploy'
import { type Api, buildApi } from '@ironlaw/control/http'
import { publishSnapshot } from '@ironlaw/control/publish-snapshot'
import { reconcileRuns } from '@ironlaw/control/reconcile'
import { type Round, type Rounds, startRounds } from '@ironlaw/control/rounds'
import { promptLooks } from '@ironlaw/control/prompt-looks'
import { replicaAccess } from '@ironlaw/control/replica-access'
import { replicaLogs } from '@ironlaw/control/replica-logs'
import { runStorage } from '@ironlaw/control/run-storage'
import { type SharedStorage, sharedStorage } from '@ironlaw/control/shared-storage'
import type { Site } from '@ironlaw/control/site'
import { principalOf } from '@ironlaw/control/tokens'
import { IronlawError } from '@ironlaw/contracts'
import type { Executor } from '@ironlaw/executors'
import { DEFAULT_DEPLOYMENT_LIMITS } from '@ironlaw/policies/deployment'
import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { DEFAULT_LIMITS, type RunLimits } from '@ironlaw/policies/run'
import { type Database, migrate, NO_LIMITS, openEmbedded, openPostgres } from '@ironlaw/store'
import { serveConsole, type ConsoleFiles as ConsoleSite } from './console-files.ts'
import { saveContext, type SavedContext } from './context-file.ts'
import { provideToken } from './run-token.ts'

export type ServerOptions = {
  /** postgres://..., a directory for a database inside this process, or 'memory'. */
  readonly database: string
  readonly listen: { readonly host: string; readonly port: number }
  readonly executor: Executor
  /** What the executor's nodes are filed under. */
  readonly cluster: string
  readonly site: Omit<Site, 'api'> & { readonly api?: string }
  readonly logDirectory: string
  /** Where commands on this machine find the address and an administrator's token. */
  readonly contextFile: string
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
  const { listen, executor, cluster, limits = DEFAULT_LIMITS, logDirectory, contextFile, logTo } = options
  const database = await openDatabase(options.database)
  await mkdir(logDirectory, { recursive: true })
  let reconcilers: readonly Rounds[] = []
  const fleet = { cluster, executor }
  const onWake = (): void => reconcilers.forEach((each) => each.wake())
  const logProblem = (problem: string): void => api.log.warn(problem)
  // Before the API, whose metrics read it while the rest of this still waits for the database.
  const storage = sharedStorage(logProblem)
  const logs = replicaLogs(options.site, storage)
  const api = await buildApi({ database, fleet, now, onWake, hanging: storage.stuck, logDirectory, logTo, replicaLogs: logs })
  const address = await api.listen({ host: listen.host, port: listen.port })
  const page = serveConsole(api.server, options.console ?? { folder: join(CONSOLE_SOURCE, 'dist') })
  const site: Site = { api: address, ...options.site }
  const context = await saveContext(database, { file: contextFile, api: address, at: now() })
  const holder = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`
  const looks = promptLooks()
  const marked = await storage.perform('mark', { directory: site.runs })
  if ('away' in marked) logProblem(`storage at ${site.runs}: ${marked.away}; runs wait until it answers`)
  const provideRunToken = (run: string) => looks(`token ${run}`, () => provideToken(database, { storage, site, run, at: now() }))
  const ports = {
    database,
    executor,
    cluster,
    site,
    storage: runStorage(site, storage, looks),
    limits,
    patience_ms: PATIENCE_MS,
    now,
    holder,
    provideToken: provideRunToken,
  }
  await publishSnapshot(database)
  const deploying = { database, executor, site, access: replicaAccess(site, storage), limits: DEFAULT_DEPLOYMENT_LIMITS, now, holder }
  const startReconciler = (round: () => Promise<Round>): Rounds =>
    startRounds(underRightClock({ database, now, told: logProblem }, round), logProblem, { giveUp: options.giveUp ?? logProblem })
  reconcilers = [
    startReconciler(() => reconcileRuns(ports)),
    startReconciler(() => reconcileDeployments({ ...deploying, rollout: DEFAULT_ROLLOUT })),
  ]
  const bookkeeper = startRounds(() => closeBooks({ database, now }), logProblem, { rest_ms: BOOKS_REST_MS })
  return {
    address,
    console: page === undefined ? undefined : address + page,
    context,
    loginLink: async () => page && `${address}${page}#code=${await createLoginCode(database, context.token)}`,
    close: () => closeServer({ api, reconcilers, bookkeeper, storage, database }),
  }
}

async function createLoginCode(database: Database, token: string): Promise<string> {
  const principal = await principalOf(database, `Bearer ${token}`)
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
  readonly bookkeeper: Rounds
  readonly storage: SharedStorage
  readonly database: Database
}

async function closeServer({ api, reconcilers, bookkeeper, storage, database }: ServerParts): Promise<void> {
  await Promise.all(reconcilers.map((each) => each.stop()))
  await bookkeeper.stop()
  await api.close()
  storage.close()
  await database.destroy()
}

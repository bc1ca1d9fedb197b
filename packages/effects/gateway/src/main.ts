// The gateway as a process: reads its snapshot, serves, follows changes, drains on a signal.

import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { errorText, IronlawError, systemError } from '@ironlaw/contracts'
import { parseOptions, readFlags } from '@ironlaw/contracts/program-flags'
import { GATEWAY_FLAGS } from '@ironlaw/contracts/programs'
import { NO_BUDGETS } from './budget/budgets.ts'
import { openBudgetPool } from './budget/pool.ts'
import { postgresBooks } from './budget/books.ts'
import { LeasedBudgets } from './budget/leased-budgets.ts'
import { migrateBudgets } from './budget/migrate.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { QuotaClient } from './admission/quota-client.ts'
import { ProfileClient } from './profiling/profile-client.ts'
import { gatewayCertificates } from './configuration/listener-certificate.ts'
import { ownToken } from './configuration/own-token.ts'
import { databaseUrl } from './configuration/secrets.ts'
import { SnapshotSource } from './configuration/snapshot-source.ts'

const flags = await orEnd(() => {
  const { values } = parseArgs({ options: parseOptions(GATEWAY_FLAGS) })
  const { control, ...read } = readFlags(GATEWAY_FLAGS, { command: 'gateway', values, environment: process.env })
  if (control === undefined || URL.canParse(control)) return { ...read, control }
  throw new IronlawError('IL_USAGE', {
    problem: `--control ${control}: expected a URL, such as http://127.0.0.1:7600`,
    command: 'gateway',
  })
})
const { config, snapshot: file = config, control, id = hostname(), state, host, port } = flags
const tell = (line: string): void => console.error(line)

const token = await orEnd(() => ownToken({ file: flags['token-file'], environment: process.env, tell }))
const boot = randomUUID()
let gateway: Gateway | undefined
let leaving = false
let leased: LeasedBudgets | undefined
const drawnOn = () => (leased ? { budgets: leased.states() } : {})
const source = new SnapshotSource({
  source: control === undefined ? file : new URL(`/v1/gateways/${encodeURIComponent(id)}/sync`, control).href,
  keepAt: join(state, 'last-snapshot.json'),
  every_ms: 1000,
  token,
  ...(control === undefined
    ? {}
    : { report: () => ({ boot, leaving, ...(gateway?.totals() ?? { pools: [], replicas: [] }), ...drawnOn() }) }),
})
const { url: database, warning } = await orEnd(() =>
  databaseUrl({ flag: flags.database, file: flags['database-file'], environment: process.env }),
)
if (warning !== undefined) console.error(warning)
const pool = database === undefined ? undefined : openBudgetPool(database)
// A database that is away now may be back later, and serving does not wait for it.
if (pool) void migrateBudgets(pool).catch((cause: unknown) => console.error(String(cause)))
leased = pool && new LeasedBudgets(postgresBooks(pool))
await orEnd(() => mkdirSync(state, { recursive: true }))
const certificates = await orEnd(() => gatewayCertificates({ ...flags, id }, { token, tell }))
const snapshot = await orEnd(() => source.first())
gateway = await orEnd(() =>
  startGateway({
    snapshot,
    ...certificates,
    host,
    port,
    adminHost: flags['admin-host'],
    adminPort: flags['admin-port'],
    logDirectory: join(state, 'requests'),
    budgets: leased ?? NO_BUDGETS,
    dividedQuotas: control !== undefined,
    ...(control !== undefined && { profiling: {} }),
    snapshotStatus: () => source.status(),
    ...(flags['max-snapshot-age-s'] !== undefined && { maxSnapshotAge_s: flags['max-snapshot-age-s'] }),
    ...(flags['max-connections'] !== undefined && { max_connections: flags['max-connections'] }),
    ...(flags['held-mib'] !== undefined && { held_bytes: 2 ** 20 * flags['held-mib'] }),
  }),
)
const { metrics, apply, url, adminUrl, unexpected, quotaReport, applyGrant, profiles } = gateway
// The last resort: what no request's edge contained costs a line and a count, not the streams of every tenant.
process.on('uncaughtException', unexpected)
process.on('unhandledRejection', unexpected)
source.watch(apply, (problem) => {
  metrics.count('snapshot_faults')
  console.error(`snapshot: ${problem}`)
})
const quotas =
  control === undefined
    ? undefined
    : new QuotaClient({
        url: new URL(`/v1/gateways/${encodeURIComponent(id)}/quota`, control).href,
        token,
        boot,
        every_ms: 1000,
        report: quotaReport,
        onGrant: applyGrant,
        onFault: () => metrics.count('quota_faults'),
      })
await quotas?.request()
quotas?.watch()
const profileReports =
  control === undefined || !profiles
    ? undefined
    : new ProfileClient({
        url: new URL(`/v1/gateways/${encodeURIComponent(id)}/profiles`, control).href,
        token,
        boot,
        windows: profiles,
        onFault: () => metrics.count('profile_faults'),
      })
profileReports?.watch()
console.log(`gateway at ${url}, health and metrics at ${adminUrl}`)

/** The edge of the start: an error becomes a message and an exit status. */
function orEnd<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  return Promise.resolve().then(work).catch(endProgram)
}

function endProgram(cause: unknown): never {
  const foreseen = cause instanceof IronlawError ? cause : systemError(cause)
  const error = foreseen ?? new IronlawError('IL_UNEXPECTED', { reason: String(cause) })
  process.stderr.write(errorText(error))
  if (!foreseen && cause instanceof Error) process.stderr.write(`${cause.stack}\n`)
  process.exit(error.exit)
}

async function end(): Promise<void> {
  source.stop()
  await gateway?.stop({ drain_s: flags['drain-s'] })
  await profileReports?.leave()
  await quotas?.leave()
  leaving = true
  await source.sendReport()
  await leased?.close()
  await pool?.end()
  process.exit(0)
}
process.once('SIGTERM', () => void end())
process.once('SIGINT', () => void end())

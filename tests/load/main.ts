// The control plane under load: npm run load:control -- --live 10000 --history 1000000. PostgreSQL, the control plane (API and reconciler
// in one process, over a simulated fleet), agents that report and a user who looks at runs are processes of this machine.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Database, migrate, openPostgres } from '@ironlaw/store'
import { sql } from 'kysely'
import { startPrivateServer } from '../../packages/effects/store/test/private-server.ts'
import { costliest, forgetStatements, statementSeconds, tableSizes } from './footprint.ts'
import { seedHistory, seedLive } from './history.ts'
import { forgetLooks, lagsOf, recordLags } from './lags.ts'
import type { ProbeSamples } from './probe.ts'
import { type LoadMeasurement, pageOf } from './page.ts'
import type { Samples } from './samples.ts'

const FLAGS = {
  live: { type: 'string', default: '200' },
  history: { type: 'string', default: '5000' },
  /** Between two reports of a run; silence is three times that. */
  every: { type: 'string', default: '10' },
  seconds: { type: 'string', default: '60' },
  /** Before anything is measured, and of the flood behind it. */
  warm: { type: 'string', default: '15' },
  /** Puts the result into docs/load.md. */
  write: { type: 'boolean', default: false },
} as const

const SETTINGS = [
  'fsync=on',
  'shared_buffers=2GB',
  'max_wal_size=8GB',
  'shared_preload_libraries=pg_stat_statements',
  'jit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'maintenance_work_mem=512MB',
]
/** As fast as they can: more than any machine takes. */
const FLOOD_PER_S = 50_000
const PAGE = join(import.meta.dirname, '../../docs/load.md')

// With the exit goes the database, and with this process the others.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { values } = parseArgs({ options: FLAGS })
const size = { live: Number(values.live), history: Number(values.history), every_s: Number(values.every), seconds: Number(values.seconds) }
const warm_s = Number(values.warm)

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-load-'))
const server = await startPrivateServer(SETTINGS)
const database = openPostgres(server.url, { max: 4 })
try {
  const text = pageOf(await measureAll(database))
  process.stdout.write(text)
  if (values.write)
    writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(/<!-- begin -->[\s\S]*<!-- end -->/, `<!-- begin -->\n\n${text}\n<!-- end -->`))
} finally {
  await database.destroy()
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
}

async function measureAll(store: Database): Promise<LoadMeasurement> {
  await migrate(store)
  await sql`create extension pg_stat_statements`.execute(store)
  const plane = startChild('plane.ts', [server.url, directory, size.live, 3 * size.every_s])
  const hasJobs = once(plane, 'message')
  const seed_s = await timeWork(() => seedHistory(store, { runs: size.history, now: Date.now() / 1000 }))
  process.stderr.write(`${size.history} runs of history in ${seed_s.toFixed(0)} s\n`)
  const sizes = await tableSizes(store)
  await hasJobs
  await seedLive(store, { runs: size.live, now: Date.now() / 1000 })
  await recordLags(store)
  plane.send('filled')
  const [api]: string[] = await once(plane, 'message')
  const perSecond = size.live / size.every_s
  const agents = startChild('agents.ts', [api, size.live, perSecond, warm_s + size.seconds])
  const reporting = waitForMessage<Samples>(agents)
  await new Promise((resolve) => setTimeout(resolve, 1000 * warm_s))
  await Promise.all([forgetLooks(store), forgetStatements(store)])
  const used = processorSeconds(plane)
  const probed = await waitForMessage<ProbeSamples>(
    startChild('probe.ts', [api, join(directory, 'context.json'), size.live, size.history, size.seconds]),
  )
  const reports = await reporting
  const lags_s = await lagsOf(store)
  const statements = await costliest(store, 6)
  const planeShare = (processorSeconds(plane) - used) / size.seconds
  await forgetStatements(store)
  const before = processorSeconds(plane)
  const flood = await waitForMessage<Samples>(startChild('agents.ts', [api, size.live, FLOOD_PER_S, warm_s]))
  const flooded = { plane: (processorSeconds(plane) - before) / warm_s, statements: (await statementSeconds(store)) / warm_s }
  plane.kill('SIGTERM')
  await once(plane, 'exit')
  return {
    ...size,
    machine: `${cpus().length} processors (${cpus()[0]?.model.trim() ?? 'unknown'}), load average ${loadavg()
      .map((each) => each.toFixed(1))
      .join(' ')}`,
    seed_s,
    reports,
    reports_per_s: reports.times_ms.length / (warm_s + size.seconds),
    flood_per_s: flood.times_ms.length / warm_s,
    flood,
    probed,
    lags_s,
    sizes,
    statements,
    planeShare,
    flooded,
  }
}

function startChild(file: string, args: readonly (string | number | undefined)[]): ChildProcess {
  return fork(join(import.meta.dirname, file), args.map(String), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
}

async function waitForMessage<T>(child: ChildProcess): Promise<T> {
  const [message]: T[] = await once(child, 'message')
  if (message === undefined) throw new Error('a process of the load test said nothing')
  return message
}

async function timeWork(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** User and system time so far: fields 14 and 15 of /proc/PID/stat (proc(5)), in hundredths of a second. */
function processorSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

// The control plane of the load test as a process of its own: the production composition, over a fleet that exists only in memory.

import { once } from 'node:events'
import { join } from 'node:path'
import { allocationKey } from '@ironlaw/contracts'
import { simulatedFleet } from '@ironlaw/executors/simulated'
import { DEFAULT_LIMITS } from '@ironlaw/policies/run'
import { startServer } from '@ironlaw/server'

const [database = '', directory = '', live = '1', silence = '3'] = process.argv.slice(2)
const SLOTS = 8
const INFORMATION = '{"level":30'
process.once('disconnect', () => process.exit(1))

const fleet = simulatedFleet({
  nodes: Array.from({ length: Math.ceil(Number(live) / SLOTS) + 1 }, (_, index) => `n${index + 1}`),
  slots: SLOTS,
  now_s: () => Date.now() / 1000,
  script: () => undefined,
})
// The jobs that the seeded runs have: known to the fleet before anybody looks.
for (let run = 1; run <= Number(live); run += 1)
  await fleet.executor.submit({
    key: allocationKey(`live-${run}`, 1),
    nodes: 1,
    processesPerNode: 1,
    exclude: [],
    argv: ['train.py'],
    env: {},
    directory: '/',
    logDirectory: '/',
  })
// The database is filled meanwhile; the live runs last, so that none is overdue before anybody could look.
const fillMessage = once(process, 'message')
process.send?.('jobs')
await fillMessage
const { address, close } = await startServer({
  database,
  listen: { host: '127.0.0.1', port: 0 },
  executor: fleet.executor,
  cluster: 'simulated',
  site: { runs: join(directory, 'runs'), python: 'python3' },
  limits: { ...DEFAULT_LIMITS, silence_s: Number(silence) },
  logDirectory: join(directory, 'logs'),
  contextFile: join(directory, 'context.json'),
  logTo: { write: (line) => void (line.startsWith(INFORMATION) || process.stderr.write(line)) },
})
process.send?.(address)
process.once('SIGTERM', () => void close().then(() => process.exit(0)))

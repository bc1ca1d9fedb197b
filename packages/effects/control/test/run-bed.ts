// The reconciler over a real database inside this process and a simulated fleet, in the time of a clock that the test moves. What
// agents would report is set by the test.

import type { RunShape, RunState, SiteDevice } from '@ironlaw/contracts'
import type { Report } from '@ironlaw/contracts/report'
import type { Executor } from '@ironlaw/executors'
import { type SimulatedFleet, simulatedFleet } from '@ironlaw/executors/simulated'
import { DEFAULT_LIMITS } from '@ironlaw/policies/run'
import {
  attemptsOf,
  createRun,
  type Database,
  eventsOf,
  type JsonObject,
  type NewRun,
  recordReport,
  runOf,
  runStream,
  type Run,
} from '@ironlaw/store'
import type { RunStorage } from '../src/reconcile/run-storage.ts'
import type { ReconcilePorts } from '../src/reconcile/ports.ts'
import { BATCH, reconcileRuns } from '../src/reconcile/reconcile-runs.ts'
import { announcer } from './announcer.ts'
import { emptiedDatabase } from './emptied-database.ts'

export type RunBed = {
  readonly database: Database
  readonly fleet: SimulatedFleet
  /** Nodes whose agents do not announce themselves. */
  readonly muted: Set<string>
  readonly ports: ReconcilePorts
  /** Of two nodes with a process each, unless the shape says otherwise. */
  readonly newRun: (id: string, shape?: Partial<RunShape>) => Promise<void>
  /** Moves the clock on in rounds of half a second; agents of the named runs beat meanwhile. */
  readonly pass: (seconds: number, beating?: readonly string[]) => Promise<void>
  readonly tell: (run: string, over: Partial<Report>) => Promise<void>
  readonly run: (id: string) => Promise<Run>
  /** Nodes of the current attempt. */
  readonly placed: (id: string) => Promise<readonly string[]>
  readonly state: (id: string) => Promise<RunState>
  readonly attempts: (
    id: string,
  ) => Promise<readonly { readonly number: number; readonly state: string; readonly cause?: string | undefined }[]>
  readonly kinds: (id: string) => Promise<readonly string[]>
}

const EMPTY = { node: 'n1', index: 0, beats: [], exits: [], steps: [], checkpoints: [], notes: [] }
const NODES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']

type Options = {
  readonly nodes?: readonly string[]
  readonly devices?: { readonly kind: string; readonly perNode: number }
  readonly accelerators?: readonly SiteDevice[]
  readonly wrap?: (executor: Executor) => Executor
  readonly storage?: Partial<RunStorage>
  /** How long a round waits for the executor. */
  readonly patience_ms?: number
  /** Agents announce themselves once and are silent then, as those at work are. */
  readonly announcesOnce?: boolean
}

const siteOf = ({ accelerators }: Options): ReconcilePorts['site'] => ({
  runs: '/runs',
  api: 'http://127.0.0.1:1',
  python: 'python3',
  ...(accelerators && { accelerators }),
})

export async function runBed(options: Options = {}): Promise<RunBed> {
  const database = await emptiedDatabase()
  let now_s = 1000
  const sequences = new Map<string, number>()
  const muted = new Set<string>()
  const counted = options.devices && { devices: options.devices }
  const fleet = simulatedFleet({
    nodes: options.nodes ?? NODES,
    slots: 8,
    ...counted,
    now_s: () => now_s,
    script: () => undefined,
  })
  const announce = announcer({ database, fleet, muted, now: () => now_s, once: options.announcesOnce ?? false })
  const ports: ReconcilePorts = {
    database,
    executor: options.wrap?.(fleet.executor) ?? fleet.executor,
    cluster: 'simulated',
    site: siteOf(options),
    storage: { completion: async () => undefined, spooled: async () => [], ...options.storage },
    limits: DEFAULT_LIMITS,
    patience_ms: options.patience_ms ?? 60_000,
    now: () => now_s,
    holder: 'bed',
    provideToken: async () => undefined,
  }
  const run = async (id: string): Promise<Run> => {
    const found = await runOf(database, id)
    if (!found) throw new Error(`no run ${id}`)
    return found
  }
  const tell = async (id: string, over: Partial<Report>): Promise<void> => {
    const { attempt } = await run(id)
    const sequence = (sequences.get(id) ?? 0) + 1
    sequences.set(id, sequence)
    const report: Report = { ...EMPTY, sequence, sent_at: now_s, ...over }
    await recordReport(database, { run_id: id, attempt, received_at: now_s, report })
  }
  const placed = async (id: string): Promise<readonly string[]> => (await attemptsOf(database, [id])).get(id)?.at(-1)?.placed ?? []
  const beat = async (id: string): Promise<void> => tell(id, { beats: (await placed(id)).map((node, index) => beatOf(node, index, 0.1)) })
  return {
    database,
    fleet,
    muted,
    ports,
    tell,
    run,
    placed,
    newRun: (id, shape = {}) => createRun(database, newRunRow(id, shape), { kind: 'run-created', actor: 'ada', at: now_s, body: {} }),
    pass: async (seconds, beating = []) => {
      for (const end = now_s + seconds; now_s < end; now_s += 0.5) {
        for (const id of beating) await beat(id)
        await announce()
        while ((await reconcileRuns(ports)).due === BATCH);
      }
    },
    state: async (id) => (await run(id)).state,
    attempts: async (id) =>
      (await attemptsOf(database, [id])).get(id).map(({ number, state, outcome }) => ({ number, state, cause: outcome?.cause })),
    kinds: async (id) => (await eventsOf(database, runStream(id), { after: 0, limit: 1000 })).map(({ kind }) => kind),
  }
}

/** It goes into a document of the database. */
const shapeJson = (shape: Partial<RunShape>): JsonObject => JSON.parse(JSON.stringify(shape))

const newRunRow = (id: string, shape: Partial<RunShape>): NewRun => ({
  id,
  name: id,
  project: 'p',
  plan: { id: 'plan-1', kind: 'TrainingPlan', body: {} },
  spec: { shape: { nodes: 2, processesPerNode: 1, smaller: [], ...shapeJson(shape) }, predicted_step_s: 1, checkpoint_every_s: 60 },
  program: { argv: ['train.py'], directory: '/', environment: {} },
})

export const beatOf = (node: string, index: number, age_s: number): Report['beats'][number] => ({
  node,
  index,
  host: node,
  age_s,
  ranks: [{ rank: index, step: 1, phase: 'compute', phase_age_s: 0.1, alive: true }],
})

export const stepOf = (step: number, at: number): Report['steps'][number] => ({
  step,
  at,
  seconds: 1,
  tokens: 10,
  loss: 3,
  world: 2,
  phases_s: {},
})

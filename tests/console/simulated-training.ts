// What a fleet has behind it: nodes drained and lost, jobs of others, runs that ended, and one that waits.

import { allocationKey } from '@ironlaw/contracts'
import type { Report } from '@ironlaw/contracts/report'
import type { SimulatedFleet } from '@ironlaw/executors/simulated'
import { type Database, recordAgent, recordReport } from '@ironlaw/store'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'

export type SimulatedPast = {
  readonly call: <T>(method: 'POST' | 'PUT', path: string, body: object) => Promise<T | undefined>
  readonly pass: (seconds: number, step: number) => Promise<void>
  readonly now: () => number
  readonly database: Database
  readonly fleet: SimulatedFleet
  readonly names: readonly string[]
}

const REASONS = ['xid 79: fell off the bus', 'firmware 24.3', 'xid 79: fell off the bus', 'ECC: 3 rows remapped', 'firmware 24.3']

export async function breakNodes({ call, fleet, names }: SimulatedPast): Promise<void> {
  const [few, most] = [Math.ceil(0.01 * names.length), Math.floor(0.55 * names.length)]
  for (const [at, reason] of REASONS.entries())
    for (let each = 0; each < few; each += 1) await call('POST', `/v1/nodes/${names.at(-3 - 2 * at - 17 * each) ?? ''}/drain`, { reason })
  fleet.kill(names.at(-1) ?? '')
  const job = { exclude: [], argv: ['job'], env: {}, directory: '/', logDirectory: '/' }
  await fleet.executor.submit({ ...job, key: 'others-1', nodes: most, processesPerNode: 8 })
  await fleet.executor.submit({ ...job, key: 'others-2', nodes: Math.max(1, Math.floor(most / 4)), processesPerNode: 3 })
}

const RUNS = [
  { name: 'llama-8b', project: 'assistant', team: 'foundation', step_s: 9.1, predicted_s: 8.4 },
  { name: 'rank-1b', project: 'search', team: 'ranking', step_s: 1.9, predicted_s: 2 },
  { name: 'draw-2b', project: 'studio', team: 'media', step_s: 3.3, predicted_s: 2.4 },
]
const STEPS = 20

export async function simulateTraining(past: SimulatedPast): Promise<void> {
  for (const { name, project, team, step_s, predicted_s } of RUNS) {
    const run = await past.call<{ readonly id: string }>('POST', '/v1/runs', runRequest({ name, project, team, nodes: 2, predicted_s }))
    if (!run) throw new Error(`${name} was not made`)
    await past.pass(20, 10)
    await announceAgents(past, run.id)
    await past.pass(10, 10)
    const from = past.now()
    await past.pass(STEPS * step_s, (STEPS * step_s) / 3)
    const sendReport = (report: Report): Promise<unknown> =>
      recordReport(past.database, { run_id: run.id, attempt: 1, received_at: past.now(), report })
    await sendReport({ ...REPORT, sequence: 1, sent_at: past.now(), steps: stepsOf(from, step_s) })
    await past.pass(5, 5)
    await sendReport({ ...REPORT, sequence: 2, sent_at: past.now(), notes: [{ kind: 'completed', at: past.now(), detail: {} }] })
    past.fleet.exit(allocationKey(run.id, 1), 0)
    await past.pass(10, 5)
  }
  await past.call(
    'POST',
    '/v1/runs',
    runRequest({ name: 'llama-70b', project: 'assistant', team: 'foundation', nodes: past.names.length, predicted_s: 8 }),
  )
}

/** Agents on the nodes that the run holds wait for their orders. */
async function announceAgents({ database, fleet, now }: SimulatedPast, run_id: string): Promise<void> {
  const job = fleet.jobs().get(allocationKey(run_id, 1))
  for (const [index, node] of (job?.state === 'running' ? job.nodes : []).entries())
    await recordAgent(database, {
      run_id,
      at: now(),
      announcement: { allocation: 1, index, node, host: node, incarnation: `${run_id}-${index}` },
    })
}

type RunRequest = {
  readonly name: string
  readonly project: string
  readonly team: string
  readonly nodes: number
  readonly predicted_s: number
}

function runRequest({ name, project, team, nodes, predicted_s }: RunRequest) {
  const prediction = {
    step_s: predicted_s,
    causes_s: { products: 0.8 * predicted_s, data: 0.2 * predicted_s },
    mfu: 0.43,
    duration_s: STEPS * predicted_s,
    cost_usd: 900,
    energy_j: 4e9,
    carbon_g: 4e5,
  }
  const plan = sampleTrainingPlan({
    name,
    tokens: 8 * 4096 * STEPS,
    sequence: 4096,
    globalBatch: 8,
    fleet: { devices: 8 * nodes, perNode: 8 },
    prediction,
  })
  return {
    name,
    project,
    team,
    plan,
    program: { argv: ['train.py'], directory: '/' },
    shape: { nodes, processesPerNode: 8 },
  }
}

const REPORT: Report = { node: 'n', index: 0, sequence: 1, sent_at: 0, beats: [], exits: [], steps: [], checkpoints: [], notes: [] }

const stepsOf = (from: number, step_s: number): Report['steps'] =>
  Array.from({ length: STEPS }, (_, at) => ({
    step: at + 1,
    at: from + (at + 1) * step_s,
    seconds: step_s,
    tokens: 8 * 4096,
    loss: 3 - 0.02 * at,
    world: 16,
    phases_s: { compute: 0.78 * step_s, communication: 0.16 * step_s, data: 0.06 * step_s },
  }))

// `npm run e2e:faults -- --rounds 25 [--seed 1]`: training runs on a real Slurm cluster with a real PostgreSQL, struck by a fault drawn
// from the seed in every round. After each the event log must hold; runs must end with the weights of an undisturbed one.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isTerminal } from '@ironlaw/contracts'
import type { NodeView, RunView } from '@ironlaw/contracts/api'
import { RandomStream } from '../../../packages/pure/simulator/src/kernel/random-stream.ts'
import { sparePorts } from '../../../tools/testbed/ports.ts'
import { startTestbed } from '../../../tools/testbed/testbed.ts'
import { logFaults } from '../../histories/event-log.ts'
import { ControlPlane } from '../training/control-plane.ts'
import type { Fault } from '../training/faults.ts'
import { brokenInvariants } from '../training/invariants.ts'
import { applyRun, readCompletion, waitForEnd, until } from '../training/trained-run.ts'
import { faultsAt } from './more-faults.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '400' },
  },
})
const STEPS = Number(flags.steps)
/** A run that is nearer to its end is let finish. */
const LAST_STRIKE = 0.7 * STEPS
/** Four for a run, two spare. */
const NODES = 6

type FaultResult = { readonly fault: string; readonly back_s: number; readonly attempts: number }

const random = new RandomStream([Number(flags.seed)])
const failures: string[] = []
const faultResults: FaultResult[] = []
const begun = Date.now()
const say = (text: string): void => console.log(`${((Date.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${text}`)

const testbed = await startTestbed({ nodes: NODES })
const port = await sparePorts(1)
const plane = new ControlPlane(testbed, port)
const directory = join(testbed.dir, 'faults')
mkdirSync(directory)
try {
  await plane.start()
  await runRounds(await readWeights((await startRun('quiet')).id, 'quiet'))
} catch (cause) {
  failures.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
} finally {
  await plane.kill('SIGTERM')
  await testbed.stop()
}
printSummary()
for (const failure of failures) console.log(`FAILED: ${failure}`)
if (failures.length > 0)
  console.log(
    plane.output
      .split('\n')
      .filter((line) => !line.includes('"level":30'))
      .slice(-20)
      .join('\n'),
  )
say(`${faultResults.length} rounds, ${failures.length} failures`)
process.exit(failures.length === 0 ? 0 : 1)

function startRun(name: string): Promise<RunView> {
  return applyRun(plane, { name, steps: STEPS, directory, checkpointEvery: '3s' })
}

async function readWeights(id: string, name: string): Promise<string> {
  const run = await waitForEnd(plane, id)
  if (run.state !== 'succeeded') failures.push(`${id} ${run.state}: ${run.outcome?.detail}`)
  // Slurm forgets jobs that ended five minutes ago.
  failures.push(
    ...(await brokenInvariants({ testbed, plane, run: id }))
      .filter((fault) => !fault.includes('has 0 jobs'))
      .map((fault) => `${id}: ${fault}`),
  )
  const { step, loss, attempt } = readCompletion(plane, id)
  const model = createHash('sha256')
    .update(readFileSync(join(directory, `model-${name}`, 'model.safetensors')))
    .digest('hex')
  say(`${id} ${run.state} at step ${step}, loss ${loss}, attempt ${attempt}, weights ${model.slice(0, 12)}`)
  return `${step} ${loss} ${model}`
}

async function runRounds(quiet: string): Promise<void> {
  const deck: Fault[] = []
  for (let runs = 1; faultResults.length < Number(flags.rounds); runs += 1) {
    const name = `struck-${runs}`
    const { id } = await startRun(name)
    while (faultResults.length < Number(flags.rounds) && (await isReady(id))) {
      // Like cards: each fault once before any comes again.
      if (deck.length === 0) deck.push(...faultsAt(port))
      for (const fault of deck.splice(random.below(deck.length), 1)) await strike(id, fault)
    }
    if ((await readWeights(id, name)) !== quiet) failures.push(`${id}: other weights than without faults`)
  }
}

/** Past a checkpoint, with all nodes in service; not when the run is about to end. */
async function isReady(id: string): Promise<boolean> {
  await waitUntilRepaired()
  const { state, step = 0 } = await until(
    plane,
    id,
    (run) => isTerminal(run.state) || (run.state === 'running' && (run.step ?? 0) > (run.checkpoint_step ?? Infinity)),
  )
  return !isTerminal(state) && step < LAST_STRIKE
}

/** What the control plane took out of service is returned by a person who sees it answer again. */
async function waitUntilRepaired(): Promise<void> {
  for (;;) {
    const nodes = (await plane.ask<{ items: NodeView[] }>('/v1/nodes').catch(() => undefined))?.items
    if (nodes?.every(({ state }) => state === 'idle' || state === 'busy')) return
    for (const { name, state } of nodes ?? []) if (state === 'drained') await plane.post(`/v1/nodes/${name}/undrain`).catch(() => undefined)
    await pause(500)
  }
}

async function strike(id: string, { name, fatal, act }: Fault): Promise<void> {
  const before = await plane.run(id)
  const at = Date.now()
  say(`round ${faultResults.length + 1}: ${id} at step ${before.step}, attempt ${before.attempt}: ${name}`)
  await act({ testbed, plane, run: id })
  const after = await until(
    plane,
    id,
    ({ state, attempt, step = 0 }) =>
      isTerminal(state) || (state === 'running' && (fatal ? attempt > before.attempt && step > 0 : step > (before.step ?? 0))),
  )
  const attempts = after.attempt - before.attempt
  faultResults.push({ fault: name, back_s: (Date.now() - at) / 1000, attempts })
  if (!fatal && attempts > 0)
    failures.push(
      `${name}: attempt ${before.attempt} of ${id} was given up for nothing: ${(await plane.attempts(id)).at(-2)?.outcome?.detail}`,
    )
  failures.push(...logFaults(await plane.events(id)).map((fault) => `${name}: ${id}: ${fault}`))
}

function printSummary(): void {
  console.log(`\n${'fault'.padEnd(62)} rounds  attempts  back after, s (median, worst)`)
  for (const [fault, all] of Map.groupBy(faultResults, (each) => each.fault)) {
    const times = all.map(({ back_s }) => back_s).toSorted((a, b) => a - b)
    const attempts = all.reduce((sum, each) => sum + each.attempts, 0)
    const [median, worst] = [times[Math.floor(times.length / 2)] ?? 0, times.at(-1) ?? 0]
    console.log(
      `${fault.padEnd(62)} ${String(all.length).padStart(6)}  ${String(attempts).padStart(8)}  ${median.toFixed(1).padStart(6)} ${worst.toFixed(1).padStart(6)}`,
    )
  }
}

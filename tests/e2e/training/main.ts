// `npm run e2e:training`: a training run planned and applied on a real Slurm cluster, undisturbed, and again while everything around
// it fails. Both must end at the same step with the same bits. Then the time of recovery, ten times each.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sparePorts } from '../../../tools/testbed/ports.ts'
import { startTestbed, type Testbed } from '../../../tools/testbed/testbed.ts'
import { ControlPlane } from './control-plane.ts'
import { FAULTS, killNode, killWorker, type Scene } from './faults.ts'
import { broken } from './invariants.ts'
import { type Recovery, recovered, slurmRequeue } from './recovery.ts'
import { applied, completion, ended, ironlaw, until } from './trained-run.ts'

const STEPS = Number(process.env['E2E_STEPS'] ?? 600)
const RECOVERIES = Number(process.env['E2E_RECOVERIES'] ?? 10)
const CHECKPOINT_EVERY = '3s'
/** On a fast machine the disturbed run would be over before everything around it has failed. */
const PACE_S = 0.25
/** Four for the run, two spare. */
const NODES = 6
/** From a fault to the new job at the executor, at p95. */
const GOAL_S = 5

/** `npm run e2e:training -- recovery` for one part alone. */
const parts = process.argv.length > 2 ? process.argv.slice(2) : ['faults', 'recovery']

const failures: string[] = []
const begun = Date.now()
const say = (text: string): void => console.log(`${((Date.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${text}`)

const testbed = await startTestbed({ nodes: NODES })
const port = await sparePorts(1)
const plane = new ControlPlane(testbed, port)
const directory = join(testbed.dir, 'e2e')
mkdirSync(directory)
try {
  await plane.start()
  say(`${NODES} Slurm nodes, PostgreSQL and a control plane are up`)
  if (parts.includes('faults')) await disturbed(await undisturbed())
  if (parts.includes('recovery')) await recoveries(testbed)
} catch (cause) {
  failures.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
} finally {
  await plane.kill('SIGTERM')
  if (process.env['E2E_KEEP'] === undefined) await testbed.stop()
  else say(`kept ${testbed.dir}`)
}
for (const failure of failures) console.log(`FAILED: ${failure}`)
if (failures.length > 0) console.log(plane.output.split('\n').slice(-20).join('\n'))
say(failures.length === 0 ? 'all well' : `${failures.length} failures`)
process.exit(failures.length === 0 ? 0 : 1)

type Trained = { readonly step: number; readonly loss: number; readonly model: string }

async function undisturbed(): Promise<Trained> {
  const { id } = await applied(plane, { name: 'quiet', steps: STEPS, directory, checkpointEvery: CHECKPOINT_EVERY, pace_s: PACE_S })
  const trained = await finished(id, 'quiet')
  await commands(id)
  return trained
}

/** What each command must show of a run that ended well. */
async function commands(id: string): Promise<void> {
  for (const [argv, shows] of [
    [['get'], id],
    [['get', '--state', 'succeeded', '--json'], id],
    [['describe', 'quiet'], `step ${STEPS}`],
    [['logs', 'quiet', '--attempt', '1', '--rank', '0', '--follow'], `step ${STEPS} loss`],
    [['events', 'quiet'], 'run-succeeded'],
    [['top'], `${NODES} nodes`],
  ] as const)
    if (!(await ironlaw(plane, argv)).includes(shows)) failures.push(`ironlaw ${argv.join(' ')} does not show "${shows}"`)
}

async function finished(id: string, name: string): Promise<Trained> {
  const run = await ended(plane, id)
  const { step, loss, attempt } = completion(plane, id)
  const model = createHash('sha256')
    .update(readFileSync(join(directory, `model-${name}`, 'model.safetensors')))
    .digest('hex')
  say(`${id} ${run.state} at step ${step}, loss ${loss}, attempt ${attempt}, weights ${model.slice(0, 12)}`)
  if (run.state !== 'succeeded') failures.push(`${id} ${run.state}: ${run.outcome?.detail}`)
  failures.push(...(await broken({ testbed, plane, run: id })))
  return { step, loss, model }
}

async function disturbed(quiet: Trained): Promise<void> {
  const { id } = await applied(plane, { name: 'disturbed', steps: STEPS, directory, checkpointEvery: CHECKPOINT_EVERY, pace_s: PACE_S })
  const scene: Scene = { testbed, plane, run: id }
  for (const { name, fatal, act } of FAULTS) {
    const before = await until(
      plane,
      id,
      ({ state, checkpoint_step = 0, step = 0 }) => state === 'running' && checkpoint_step > 0 && step > checkpoint_step,
    )
    say(`step ${before.step}: ${name}`)
    await act(scene)
    const after = await until(
      plane,
      id,
      ({ state, attempt, step = 0 }) =>
        state === 'running' && step > (fatal ? 0 : (before.step ?? 0)) && (!fatal || attempt > before.attempt),
    )
    if (!fatal && after.attempt !== before.attempt) failures.push(`${name}: attempt ${before.attempt} was given up for nothing`)
    say(`step ${after.step}, attempt ${after.attempt}: runs again`)
  }
  const end = await finished(id, 'disturbed')
  console.log(await ironlaw(plane, ['ledger', 'disturbed']))
  for (const key of ['step', 'loss', 'model'] as const)
    if (end[key] !== quiet[key]) failures.push(`${key}: ${end[key]} after the faults, ${quiet[key]} without`)
}

async function recoveries(bed: Testbed): Promise<void> {
  const { id } = await applied(plane, { name: 'recovery', steps: 1_000_000, directory, checkpointEvery: CHECKPOINT_EVERY })
  const scene: Scene = { testbed: bed, plane, run: id }
  for (const [what, act] of [
    ['a worker is killed', killWorker],
    ['a node dies', killNode],
  ] as const) {
    const taken: Recovery[] = []
    for (let time = 0; time < RECOVERIES; time += 1) taken.push(await recovered(scene, act))
    report(what, taken)
  }
  await ironlaw(plane, ['cancel', 'recovery'])
  say(`${id} ${(await ended(plane, id)).state}`)
  say(`Slurm's own requeue after a node's death on this testbed: ${(await slurmRequeue(bed)).toFixed(1)} s until the job runs again`)
}

function report(what: string, taken: readonly Recovery[]): void {
  const at = (share: number, of: (recovery: Recovery) => number): string => {
    const sorted = taken.map(of).toSorted((a, b) => a - b)
    return (sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0).toFixed(2)
  }
  say(`${what}, ${taken.length} times, seconds p50 / p95:`)
  for (const [name, of] of [
    ['detected', (each: Recovery) => each.detect],
    ['detected and resubmitted', (each: Recovery) => each.detect + each.resubmit],
    ['allocated', (each: Recovery) => each.allocate],
    ['start to first step', (each: Recovery) => each.toFirstStep],
    ['in all', (each: Recovery) => each.total],
  ] as const)
    console.log(`            ${name.padEnd(26)} ${at(0.5, of).padStart(6)} / ${at(0.95, of).padStart(6)}`)
  const worst = Number(at(0.95, (each) => each.detect + each.resubmit))
  if (worst > GOAL_S) console.log(`            missed: the goal is ${GOAL_S} s at p95`)
}

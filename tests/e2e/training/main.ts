// `npm run e2e:training`: a training run planned and applied on a real Slurm cluster, undisturbed, and again while everything around
// it fails. Both must end at the same step with the same bits. Then the time of recovery, ten times each.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sparePorts } from '../../../tools/testbed/ports.ts'
import { startTestbed, type Testbed } from '../../../tools/testbed/testbed.ts'
import { ControlPlane } from './control-plane.ts'
import { DEVICES, checkDevices } from './devices.ts'
import { FAULTS, freezeNode, freezeNodeWithSpare, killNode, killNodeWithSpare, killWorker, type Scene } from './faults.ts'
import { brokenInvariants } from './invariants.ts'
import { type Recovery, measureRecovery, startRivals, slurmRequeue } from './recovery.ts'
import { checkSlowNode } from './slow-node.ts'
import { applyRun, readCompletion, waitForEnd, ironlaw, until } from './trained-run.ts'

const STEPS = Number(process.env['E2E_STEPS'] ?? 600)
const RECOVERIES = Number(process.env['E2E_RECOVERIES'] ?? 10)
const CHECKPOINT_EVERY = '3s'
/** On a fast machine the disturbed run would be over before everything around it has failed. */
const PACE_S = 0.25
/** Four for the run, one to hold as its spare, one that is free. */
const NODES = 6
/** Pending beside the run, each for a whole node. */
const RIVALS = 8
/** From a fault until all ranks of the next attempt are started, at p95. */
const GOALS_S = { process: 1.5, spare: 5, noSpare: 10 } as const

/** `npm run e2e:training -- recovery` for one part alone. */
const parts = process.argv.length > 2 ? process.argv.slice(2) : ['faults', 'devices', 'slow-node', 'recovery', 'without-spare', 'rivals']

const failures: string[] = []
const startedAt = Date.now()
const say = (text: string): void => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`)

const testbed = await startTestbed({ nodes: NODES, devices: DEVICES })
const port = await sparePorts(1)
const plane = new ControlPlane(testbed, port)
const directory = join(testbed.dir, 'e2e')
mkdirSync(directory)
try {
  await plane.start()
  say(`${NODES} Slurm nodes, PostgreSQL and a control plane are up`)
  if (parts.includes('faults')) await trainDisturbed(await trainUndisturbed())
  if (parts.includes('devices')) failures.push(...(await checkDevices({ testbed, plane, directory, say })))
  if (parts.includes('slow-node')) failures.push(...(await checkSlowNode({ plane, directory, say })))
  if (parts.includes('recovery')) await measureRecoveries(testbed)
  if (parts.includes('without-spare')) await measureWithoutSpare(testbed)
  if (parts.includes('rivals')) await recoverUnderSiege(testbed)
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

type TrainedResult = { readonly step: number; readonly loss: number; readonly model: string }

async function trainUndisturbed(): Promise<TrainedResult> {
  const { id } = await applyRun(plane, { name: 'quiet', steps: STEPS, directory, checkpointEvery: CHECKPOINT_EVERY, pace_s: PACE_S })
  const trained = await readResult(id, 'quiet')
  await checkCommands(id)
  return trained
}

/** What each command must show of a run that ended well. */
async function checkCommands(id: string): Promise<void> {
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

async function readResult(id: string, name: string): Promise<TrainedResult> {
  const run = await waitForEnd(plane, id)
  const { step, loss, attempt } = readCompletion(plane, id)
  const model = createHash('sha256')
    .update(readFileSync(join(directory, `model-${name}`, 'model.safetensors')))
    .digest('hex')
  say(`${id} ${run.state} at step ${step}, loss ${loss}, attempt ${attempt}, weights ${model.slice(0, 12)}`)
  if (run.state !== 'succeeded') failures.push(`${id} ${run.state}: ${run.outcome?.detail}`)
  failures.push(...(await brokenInvariants({ testbed, plane, run: id })))
  failures.push(...(await pauses(id)))
  return { step, loss, model }
}

/** Checkpoints are written while training goes on: it waits for less than the write. At the end of an attempt it waits for the commit. */
async function pauses(id: string): Promise<readonly string[]> {
  const saved = (await plane.checkpoints(id)).filter(({ state, step }) => state === 'committed' && step < STEPS)
  const medianMs = (times: readonly number[]): number => 1000 * (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0)
  const pause = medianMs(saved.map(({ pause_s }) => pause_s))
  const write = medianMs(saved.map(({ write_s }) => write_s))
  say(`${saved.length} checkpoints held up training for ${pause.toFixed(1)} ms and were written in ${write.toFixed(1)} ms (medians)`)
  return pause < write ? [] : [`${id}: checkpoints held up training for ${pause} ms, and took ${write} ms to write`]
}

async function trainDisturbed(quiet: TrainedResult): Promise<void> {
  const { id } = await applyRun(plane, { name: 'disturbed', steps: STEPS, directory, checkpointEvery: CHECKPOINT_EVERY, pace_s: PACE_S })
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
  const end = await readResult(id, 'disturbed')
  console.log(await ironlaw(plane, ['ledger', 'disturbed']))
  for (const key of ['step', 'loss', 'model'] as const)
    if (end[key] !== quiet[key]) failures.push(`${key}: ${end[key]} after the faults, ${quiet[key]} without`)
}

async function repeatRecovery(scene: Scene, act: (scene: Scene) => Promise<number>): Promise<readonly Recovery[]> {
  const taken: Recovery[] = []
  for (let time = 0; time < RECOVERIES; time += 1) taken.push(await measureRecovery(scene, act))
  return taken
}

async function measureRecoveries(bed: Testbed): Promise<void> {
  const { id } = await applyRun(plane, { name: 'recovery', steps: 1_000_000, directory, checkpointEvery: CHECKPOINT_EVERY, spares: 1 })
  report('a worker is killed', await repeatRecovery({ testbed: bed, plane, run: id }, killWorker), GOALS_S.process)
  report('a node dies, a spare is held', await repeatRecovery({ testbed: bed, plane, run: id }, killNodeWithSpare), GOALS_S.spare)
  report('a node freezes, a spare is held', await repeatRecovery({ testbed: bed, plane, run: id }, freezeNodeWithSpare), GOALS_S.spare)
  await cancelRun(id)
}

async function measureWithoutSpare(bed: Testbed): Promise<void> {
  const { id } = await applyRun(plane, { name: 'without-spare', steps: 1_000_000, directory, checkpointEvery: CHECKPOINT_EVERY })
  report('a node dies, no spare is held', await repeatRecovery({ testbed: bed, plane, run: id }, killNode), GOALS_S.noSpare)
  report('a node freezes, no spare is held', await repeatRecovery({ testbed: bed, plane, run: id }, freezeNode), GOALS_S.noSpare)
  await cancelRun(id)
  say(`Slurm's own requeue after a node's death on this testbed: ${(await slurmRequeue(bed)).toFixed(1)} s until the job runs again`)
}

async function cancelRun(id: string): Promise<void> {
  await ironlaw(plane, ['cancel', id])
  say(`${id} ${(await waitForEnd(plane, id)).state}`)
}

/** A recovering run keeps its nodes, whoever else waits for them. */
async function recoverUnderSiege(bed: Testbed): Promise<void> {
  const { id } = await applyRun(plane, { name: 'besieged', steps: 1_000_000, directory, checkpointEvery: CHECKPOINT_EVERY, spares: 1 })
  const scene: Scene = { testbed: bed, plane, run: id }
  await until(plane, id, ({ state, checkpoint_step = 0 }) => state === 'running' && checkpoint_step > 0)
  const disperse = startRivals(bed, RIVALS)
  const currentNodes = async (): Promise<readonly string[]> => (await plane.attempts(id)).at(-1)?.placed ?? []
  const first = await currentNodes()
  const worker = await measureRecovery(scene, killWorker)
  if ((await currentNodes()).join() !== first.join())
    failures.push(`${id} ran on ${first.join()}, then on ${(await currentNodes()).join()}`)
  const node = await measureRecovery(scene, killNode)
  const survivors = first.toSpliced(1, 1)
  const last = await currentNodes()
  if (!survivors.every((name) => last.includes(name)))
    failures.push(`${id} gave back a node of ${survivors.join()}: it runs on ${last.join()}`)
  say(
    `${RIVALS} rivals in the queue: ranks started ${worker.toRanks.toFixed(2)} s after a worker, ${node.toRanks.toFixed(2)} s after a node died`,
  )
  disperse()
  await cancelRun(id)
}

function report(what: string, taken: readonly Recovery[], goal_s: number): void {
  const at = (share: number, of: (recovery: Recovery) => number): string => {
    const sorted = taken.map(of).toSorted((a, b) => a - b)
    return (sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0).toFixed(2)
  }
  say(`${what}, ${taken.length} times, seconds p50 / p95:`)
  for (const [name, of] of [
    ['detected', (each: Recovery) => each.detect],
    ['has its nodes', (each: Recovery) => each.place],
    ['ranks started', (each: Recovery) => each.start],
    ['fault to ranks started', (each: Recovery) => each.toRanks],
    ['start to first step', (each: Recovery) => each.toFirstStep],
    ['in all', (each: Recovery) => each.total],
  ] as const)
    console.log(`            ${name.padEnd(26)} ${at(0.5, of).padStart(6)} / ${at(0.95, of).padStart(6)}`)
  const reached_s = Number(at(0.95, (each) => each.toRanks))
  if (reached_s > goal_s) failures.push(`${what}: ranks started ${reached_s} s after the fault at p95, the goal is ${goal_s} s`)
}

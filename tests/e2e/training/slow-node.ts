// A node that is slow, found by the check before the start: its processes get a fraction of the time, as under a thermal limit.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { NodeView } from '@ironlaw/contracts/api'
import type { Ledger } from '@ironlaw/contracts/ledger'
import { environmentOf, everyPid } from '../../../tools/testbed/processes.ts'
import type { ControlPlane } from './control-plane.ts'
import { applyRun, waitForEnd, ironlaw, until } from './trained-run.ts'

/** A twelfth of a core: on a machine that does other work besides, its neighbours still get a quarter or so. */
const STOPPED_MS = 110
const RUNNING_MS = 10
/** Six agents share the cores of this machine, which alone makes them differ by a third or so. */
const SHARE = 0.5

type Scene = { readonly plane: ControlPlane; readonly directory: string; readonly say: (text: string) => void }

/** What was not as it has to be. */
export async function checkSlowNode({ plane, directory, say }: Scene): Promise<readonly string[]> {
  const failures: string[] = []
  const slow = 'n2'
  const release = throttle(slow)
  const began = Date.now()
  const { id } = await applyRun(plane, {
    name: 'checked',
    steps: 1_000_000,
    directory,
    checkpointEvery: '60s',
    pace_s: 0.25,
    spares: 1,
    check: { share: SHARE },
    globalBatch: 32,
  })
  await until(plane, id, ({ state }) => state === 'checking')
  await until(plane, id, ({ state }) => state === 'running')
  release()
  const took_s = (Date.now() - began) / 1000
  const attempts = await plane.attempts(id)
  const outcomes = attempts.map(({ outcome }) => `${outcome?.cause}: ${outcome?.detail}`)
  const [checked] = attempts
  if (checked?.outcome?.cause !== 'slow-node' || checked.outcome.nodes?.join() !== slow)
    failures.push(`${slow} was not found: ${outcomes.join('; ')}`)
  const program = attempts.find(({ check }) => !check)
  if (program?.placed?.includes(slow) !== false) failures.push(`the program runs on ${program?.placed?.join()}`)
  const { items } = await plane.ask<{ items: NodeView[] }>('/v1/nodes')
  const read = items.filter(({ readings = [] }) => readings.length > 0).map(({ name }) => name)
  if (!read.includes(slow) || read.length < 5) failures.push(`readings of ${read.join()} only`)
  if (!(await ironlaw(plane, ['get', 'nodes'])).includes('FLOP/s')) failures.push('"ironlaw get nodes" does not show what was measured')
  if (!(await ironlaw(plane, ['logs', 'checked', '--attempt', '1', '--rank', '0'])).includes('ironlaw-measured'))
    failures.push('the log of the check has nothing for calibrate')
  const { causes, deviations = [] } = await plane.ask<Ledger>(`/v1/runs/${id}/ledger`)
  const named = deviations.map(({ field, planned, running }) => `${field}: planned ${planned}, running ${running}`)
  const first = named.find((each) => each.startsWith('globalBatch'))
  if (first !== 'globalBatch: planned 32, running 16') failures.push(`the ledger says of the batch: ${named.join('; ')}`)
  if (first && !(await ironlaw(plane, ['ledger', 'checked'])).includes(first)) failures.push('"ironlaw ledger" does not name the deviation')
  const spent_s = (causes.find(({ cause }) => cause === 'check')?.accelerator_s ?? 0) / 4
  if (!(spent_s > 0)) failures.push('the ledger has no time of checks')
  say(
    `${outcomes[0]}; the program started on ${program?.placed?.join()} after ${took_s.toFixed(1)} s, ${spent_s.toFixed(1)} s of them checks`,
  )
  await ironlaw(plane, ['cancel', id])
  await waitForEnd(plane, id)
  await plane.post(`/v1/nodes/${slow}/undrain`)
  return failures
}

/** Stops and continues whatever is measured there, until it is released. */
function throttle(node: string): () => void {
  const over = new AbortController()
  const checkPids = (): readonly number[] =>
    everyPid().filter((pid) => environmentOf(pid).has(`SLURMD_NODENAME=${node}`) && commandOf(pid).includes('ironlaw.measure.check'))
  const throttleLoop = async (): Promise<void> => {
    for (let pids: readonly number[] = []; !over.signal.aborted; pids = pids.length === 0 ? checkPids() : pids.filter(isAlive)) {
      for (const pid of pids) signal(pid, 'SIGSTOP')
      await pause(STOPPED_MS)
      for (const pid of pids) signal(pid, 'SIGCONT')
      await pause(RUNNING_MS)
    }
  }
  void throttleLoop()
  return () => over.abort()
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

const isAlive = (pid: number): boolean => signal(pid, 0)

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

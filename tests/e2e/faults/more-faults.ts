// Faults in addition to those of the training test: an agent killed, the control plane killed, the control plane hanging.

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { environmentOf } from '../../../tools/testbed/processes.ts'
import { FAULTS, type Fault, type Scene } from '../training/faults.ts'

const HANG_MS = 10_000

/** Those of the training test but for its outage of a minute. */
export const faultsAt = (port: number): readonly Fault[] => [
  ...FAULTS.filter(({ name }) => !name.includes('minute')),
  { name: 'an agent is killed', fatal: true, act: killAgent },
  { name: 'the control plane is killed', fatal: false, act: restartPlane },
  { name: 'the control plane hangs for 10 s', fatal: false, act: () => hangPlane(port) },
]

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')

function pidWhere(what: string, holds: (pid: number) => boolean): number {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const found = pids.find((pid) => pid !== process.pid && holds(pid))
  if (found === undefined) throw new Error(`there is no process of ${what}`)
  return found
}

/** The agent of the third node: neither the head nor what Slurm starts beside it, which bear its words in their command as well. */
async function killAgent({ run }: Scene): Promise<void> {
  const agent = pidWhere(`an agent of ${run}`, (pid) => {
    const environment = environmentOf(pid)
    return (
      environment.has(`IRONLAW_RUN=${run}`) && environment.has('SLURM_NODEID=2') && /^\S*python\S* -m ironlaw\.agent/.test(commandOf(pid))
    )
  })
  process.kill(agent, 'SIGKILL')
}

async function restartPlane({ plane }: Scene): Promise<void> {
  await plane.kill()
  await plane.start()
}

async function hangPlane(port: number): Promise<void> {
  const pid = pidWhere(
    'the control plane',
    (each) => environmentOf(each).size > 0 && commandOf(each).includes(`--listen 127.0.0.1:${port} `),
  )
  process.kill(pid, 'SIGSTOP')
  await pause(HANG_MS)
  process.kill(pid, 'SIGCONT')
}

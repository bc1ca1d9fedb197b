// A private Slurm cluster on one host: a munged with its own key, one slurmctld, one slurmd for each node.

import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { PATH, daemonsOf, mustRun, run, startDaemon, until } from './daemon.ts'
import { environmentOf, everyPid, killEvery, programOf, signal, untilGone, withDescendants } from './processes.ts'
import { jwtConfiguration, makeTokenKey } from './slurm-rest.ts'
import type { Devices, State } from './state.ts'

export const slurmConfiguration = ({ dir }: State): string => join(dir, 'slurm.conf')

export async function makeSlurm(state: State): Promise<void> {
  mkdirSync(join(state.dir, 'state'))
  mkdirSync(join(state.dir, 'spool'))
  writeFileSync(join(state.dir, 'munge.key'), randomBytes(128), { mode: 0o600 })
  if (state.rest) makeTokenKey(state)
  writeFileSync(slurmConfiguration(state), configuration(state))
  if (state.devices) makeDevices(state.dir, state.devices)
  await startMunge(state)
  startController(state)
  for (const node of state.nodes) startNodeDaemon(state, node)
  await untilUp(state, state.nodes)
}

/**
 * Files that Slurm takes for accelerators. A plain file is counted too, with "not a valid character or block device" in slurmd's log, but then
 * no job gets CUDA_VISIBLE_DEVICES; links to a device need no right to make one.
 */
function makeDevices(dir: string, { model, perNode }: Devices): void {
  mkdirSync(join(dir, 'devices'))
  for (let index = 0; index < perNode; index += 1) symlinkSync('/dev/null', join(dir, 'devices', `gpu${index}`))
  writeFileSync(join(dir, 'gres.conf'), `Name=gpu Type=${model} File=${dir}/devices/gpu[0-${perNode - 1}] Flags=nvidia_gpu_env\n`)
}

export function startController(state: State): void {
  if (controllers(state).length > 0) return
  startDaemon({ dir: state.dir, name: 'slurmctld', command: ['slurmctld', '-D', '-f', slurmConfiguration(state)] })
}

/** A terminated slurmctld saves its state first. */
export async function stopController(state: State): Promise<void> {
  for (const pid of controllers(state)) {
    signal(pid, 'SIGTERM')
    await untilGone(pid)
  }
}

export const isControllerUp = (state: State): boolean => controllers(state).length > 0
export const isNodeDaemonUp = (state: State, node: string): boolean => nodeDaemons(state, node).length > 0

export function startNodeDaemon(state: State, node: string): void {
  if (isNodeDaemonUp(state, node)) return
  startDaemon({ dir: state.dir, name: node, command: ['slurmd', '-D', '-f', slurmConfiguration(state), '-N', node] })
}

/** The daemon alone: its step daemons and the job live on, as after a crash of slurmd. */
export async function killNodeDaemon(state: State, node: string): Promise<void> {
  for (const pid of nodeDaemons(state, node)) {
    signal(pid, 'SIGKILL')
    await untilGone(pid)
  }
}

/** Power loss. Daemons first: a step daemon that outlives its tasks would report their end to the controller. */
export async function killNode(state: State, node: string): Promise<void> {
  const doomed = withDescendants(daemonsOf(state.dir, node))
  await killEvery(() => daemonsOf(state.dir, node))
  for (const pid of doomed) signal(pid, 'SIGKILL')
  await killEvery(() => jobProcesses(state, node))
}

export async function destroySlurm(state: State): Promise<void> {
  for (const node of state.nodes) await killNode(state, node)
  for (const name of ['slurmrestd', 'slurmctld', 'munged']) await killEvery(() => daemonsOf(state.dir, name))
}

/** Idle, mixed or allocated with no mark of trouble: `*` is not responding, and a drained node counts as up here. */
export async function untilUp(state: State, nodes: readonly string[]): Promise<void> {
  await until(`nodes ${nodes.join(', ')} to be up`, async () => {
    const { status, stdout } = await run('sinfo', ['-h', '-N', '-o', '%N %T'], { env: slurmEnvironment(state) })
    const states = new Map(stdout.split('\n').map((line) => [line.split(' ')[0], line.split(' ')[1] ?? '']))
    return status === 0 && nodes.every((node) => /^(?:idle|mixed|allocated|drain\w*|completing)$/.test(states.get(node) ?? ''))
  })
}

export const nodeStates = async (state: State): Promise<string> =>
  (await run('sinfo', ['-h', '-N', '-o', '%N %T %E'], { env: slurmEnvironment(state) })).stdout.trimEnd()

const slurmEnvironment = (state: State) => ({ PATH, SLURM_CONF: slurmConfiguration(state) })

const controllers = ({ dir }: State): readonly number[] => daemonsOf(dir, 'slurmctld').filter((pid) => programOf(pid) === 'slurmctld')

const nodeDaemons = ({ dir }: State, node: string): readonly number[] => daemonsOf(dir, node).filter((pid) => programOf(pid) === 'slurmd')

/** A shell with SLURM_CONF in its environment runs on no node. */
const jobProcesses = (state: State, node: string): readonly number[] =>
  everyPid().filter((pid) => {
    const environment = environmentOf(pid)
    return environment.has(`SLURM_CONF=${slurmConfiguration(state)}`) && environment.has(`SLURMD_NODENAME=${node}`)
  })

async function startMunge({ dir }: State): Promise<void> {
  const files = ['key', 'pid', 'log', 'seed'].map((kind) => `--${kind}-file=${join(dir, `munge.${kind}`)}`)
  const socket = join(dir, 'munge.socket')
  startDaemon({ dir, name: 'munged', command: ['munged', '--foreground', `--socket=${socket}`, ...files] })
  await until('munged', () => existsSync(socket))
  await mustRun('munge', ['--no-input', `--socket=${socket}`])
}

// Times of Slurm that a test can wait for; SlurmdTimeout below 30 does not detect sooner (measured: down after 27 to 31 s with 10).
// cred_expire is the hold on a requeued job, 120 s when not set. CPUs beyond the machine's need config_overrides.
// DefMemPerCPU leaves room for eight CPUs' worth on a node, or a job that names no memory would take all of it.
const configuration = ({ dir, nodes, port, rest, devices }: State): string => `ClusterName=testbed
SlurmctldHost=${hostname()}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=${dir}/munge.socket,cred_expire=5
${rest ? jwtConfiguration(dir) : ''}SlurmUser=root
SlurmctldPort=${port + 1}
StateSaveLocation=${dir}/state
SlurmdSpoolDir=${dir}/spool/%n
SlurmdPidFile=${dir}/slurmd-%n.pid
SlurmctldPidFile=${dir}/slurmctld.pid
SlurmctldLogFile=${dir}/log/slurmctld.log
SlurmdLogFile=${dir}/log/%n.log
JobCompType=jobcomp/filetxt
JobCompLoc=${dir}/log/jobs.txt
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=400
${devices ? 'GresTypes=gpu\n' : ''}SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
MpiDefault=none
SlurmdParameters=config_overrides
SlurmdTimeout=30
KillWait=5
MinJobAge=300
JobRequeue=0
ReturnToService=2
${nodes.map((node, index) => `NodeName=${node} NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=${port + 2 + index} CPUs=8 RealMemory=4000 Feature=${index < nodes.length / 2 ? 'rack1' : 'rack2'}${devices ? ` Gres=gpu:${devices.model}:${devices.perNode}` : ''} State=UNKNOWN`).join('\n')}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

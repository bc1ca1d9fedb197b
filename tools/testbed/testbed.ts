// A private PostgreSQL and a private Slurm cluster in one folder: made, disturbed, removed. Tests use it as a library,
// people through main.ts.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled } from './daemon.ts'
import { isPostgresUp, makePostgres, postgresUrl, startPostgres, stopPostgres } from './postgres.ts'
import { type Identity, identityOf, isAlive } from './processes.ts'
import { sparePorts } from './ports.ts'
import { type Rest, isRestUp, makeRest, restOf, startRest, stopRest } from './slurm-rest.ts'
import * as slurm from './slurm.ts'
import { type Devices, FOLDER, type State, everyState, readState, writeState } from './state.ts'

export const SERVICES = ['slurmctld', 'slurmrestd', 'postgres'] as const
export type Service = (typeof SERVICES)[number]

export type Testbed = {
  readonly dir: string
  readonly nodes: readonly string[]
  readonly pgUrl: string
  readonly slurmConf: string
  readonly rest: Rest | undefined
  /** What a command needs to reach this cluster. */
  readonly env: Readonly<Record<string, string>>
  readonly killNode: (node: string) => Promise<void>
  readonly killSlurmd: (node: string) => Promise<void>
  /** After either kill: starts slurmd and waits until the controller has it back. */
  readonly restoreNode: (node: string) => Promise<void>
  readonly stopService: (service: Service) => Promise<void>
  readonly startService: (service: Service) => Promise<void>
  readonly status: () => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

type Options = {
  readonly nodes?: number
  readonly dir?: string | undefined
  readonly rest?: boolean
  readonly devices?: Devices | undefined
  /** Its death makes the testbed litter, removed by the next start or by `down --all`. None: it stays until `down`. */
  readonly owner?: number | null
}

export async function startTestbed({ nodes = 4, dir, rest = false, devices, owner = process.pid }: Options = {}): Promise<Testbed> {
  if (process.getuid?.() !== 0) throw new Error('the testbed runs as root: several slurmd on one host need it; use sudo or a container')
  checkPrograms(rest)
  await removeLitter()
  const state: State = {
    dir: folder(dir),
    nodes: Array.from({ length: nodes }, (_, index) => `n${index + 1}`),
    port: await sparePorts(nodes + 3),
    ...(devices && { devices }),
    rest,
    owner: owner === null ? null : livingOwner(owner),
  }
  writeState(state)
  mkdirSync(join(state.dir, 'log'))
  const made = await Promise.allSettled([makePostgres(state), slurm.makeSlurm(state).then(() => makeRest(state))])
  const failed = made.find((part) => part.status === 'rejected')
  if (failed) {
    await destroy(state)
    throw failed.reason
  }
  return testbedOf(state)
}

export const openTestbed = (dir: string): Testbed => testbedOf(readState(dir))

export const everyTestbed = (): readonly Testbed[] => everyState().map(testbedOf)

/** Testbeds whose owner died without stopping them. */
export async function removeLitter(): Promise<readonly string[]> {
  const litter = everyState().filter(({ owner }) => owner !== null && !isAlive(owner))
  for (const state of litter) await destroy(state)
  return litter.map(({ dir }) => dir)
}

function testbedOf(state: State): Testbed {
  const known = (node: string): string => {
    if (!state.nodes.includes(node)) throw new Error(`there is no node ${node}; this testbed has ${state.nodes.join(' ')}`)
    return node
  }
  return {
    dir: state.dir,
    nodes: state.nodes,
    pgUrl: postgresUrl(state),
    slurmConf: slurm.slurmConfiguration(state),
    rest: restOf(state),
    env: { SLURM_CONF: slurm.slurmConfiguration(state) },
    killNode: (node) => slurm.killNode(state, known(node)),
    killSlurmd: (node) => slurm.killNodeDaemon(state, known(node)),
    restoreNode: async (node) => {
      slurm.startNodeDaemon(state, known(node))
      await slurm.untilUp(state, [node])
    },
    stopService: (service) => SERVICE[service].stop(state),
    startService: (service) => SERVICE[service].start(state),
    status: () => status(state),
    stop: () => destroy(state),
  }
}

const SERVICE: Readonly<
  Record<Service, { readonly start: (state: State) => Promise<void>; readonly stop: (state: State) => Promise<void> }>
> = {
  postgres: { start: startPostgres, stop: stopPostgres },
  slurmrestd: { start: startRest, stop: stopRest },
  slurmctld: {
    start: async (state) => {
      slurm.startController(state)
      await slurm.untilUp(
        state,
        state.nodes.filter((node) => slurm.isNodeDaemonUp(state, node)),
      )
    },
    stop: slurm.stopController,
  },
}

async function status(state: State): Promise<readonly string[]> {
  const controller = slurm.isControllerUp(state)
  return [
    `postgres ${(await isPostgresUp(state)) ? 'up' : 'down'} ${postgresUrl(state)}`,
    `slurmctld ${controller ? 'up' : 'down'} SLURM_CONF=${slurm.slurmConfiguration(state)}`,
    ...(state.rest ? [`slurmrestd ${isRestUp(state) ? 'up' : 'down'} ${restOf(state)?.url}`] : []),
    ...state.nodes.map((node) => `slurmd ${node} ${slurm.isNodeDaemonUp(state, node) ? 'up' : 'down'}`),
    ...(controller ? [await slurm.nodeStates(state)] : []),
  ]
}

async function destroy(state: State): Promise<void> {
  await slurm.destroySlurm(state)
  await stopPostgres(state)
  rmSync(state.dir, { recursive: true, force: true })
}

function folder(wanted: string | undefined): string {
  if (wanted !== undefined) mkdirSync(wanted)
  const dir = realpathSync(wanted ?? mkdtempSync(join(tmpdir(), FOLDER)))
  chmodSync(dir, 0o755)
  return dir
}

function checkPrograms(rest: boolean): void {
  const needed = ['slurmctld', 'slurmd', 'sinfo', 'munged', 'psql', ...(rest ? ['slurmrestd'] : [])]
  const missing = needed.filter((name) => !isInstalled(name))
  const packages = `slurm-wlm, munge and postgresql-15${rest ? ', slurmrestd and slurm-wlm-jwt-plugin' : ''}`
  if (missing.length > 0) throw new Error(`${missing.join(', ')} not found; install ${packages}`)
}

function livingOwner(pid: number): Identity {
  const identity = identityOf(pid)
  if (identity === undefined) throw new Error(`the owner, process ${pid}, is not alive`)
  return identity
}

// Where runs live: storage that all nodes share, how an agent is started there, and where it finds the API.

import { join } from 'node:path'
import { type Allocation, allocationKey, type CheckpointPolicy, type Program, RUN_FILES, type SiteDevice } from '@ironlaw/contracts'
import type { JobSpec } from '@ironlaw/executors'
import type { SharedStorage } from '../storage/shared-storage.ts'
import type { RunSpec } from '../runs/run-spec.ts'
import { secretVariables } from '../secrets/deliver.ts'
import { resourcesOf } from './job-resources.ts'

export type Site = {
  /** Holds one directory per run. */
  readonly runs: string
  readonly api: string
  /** The authority that agents must trust to reach the API, in PEM. */
  readonly ca?: string
  /** Command that runs Python, and where it finds the SDK when that is not installed. */
  readonly python: string
  readonly pythonPath?: string
  /** What the cluster calls the accelerators that plans name; where it says nothing, a plan's name is the cluster's. */
  readonly accelerators?: readonly SiteDevice[]
  /** Public key that engines of replicas require models to be signed with. */
  readonly requireSignature?: string
  /** Where artifacts are stored. */
  readonly artifacts?: string
}

export const runDirectory = ({ runs }: Pick<Site, 'runs'>, run: string): string => join(runs, run)

/** Where the files of a run's program are. */
export const filesDirectory = (site: Pick<Site, 'runs'>, run: string): string => join(runDirectory(site, run), 'program')

/** Trusted by the agents of all runs. */
const authorityFile = ({ runs }: Pick<Site, 'runs'>): string => join(runs, 'ca.pem')

export async function provideAuthority(site: Site, storage: SharedStorage): Promise<void> {
  if (site.ca !== undefined) await storage.perform('writePublic', { file: authorityFile(site), text: site.ca })
}

export const attemptDirectory = (site: Pick<Site, 'runs'>, run: string, attempt: number): string =>
  join(runDirectory(site, run), 'attempts', String(attempt).padStart(4, '0'))

const expandedArgv = (site: Site, run: string, { argv, files }: Program): readonly string[] =>
  files ? argv.map((word) => word.replaceAll(RUN_FILES, () => filesDirectory(site, run))) : argv

type JobInputs = { readonly run: string; readonly program: Program; readonly spec: RunSpec; readonly allocation: Allocation }

/** An allocation as an executor takes it: a job of agents. The run's token is a file in the run directory, never in here. */
export function allocationJob(site: Site, { run, program, spec, allocation }: JobInputs): JobSpec {
  return {
    key: allocationKey(run, allocation.number),
    nodes: allocation.nodes,
    processesPerNode: spec.shape.processesPerNode,
    ...resourcesOf(site, spec.shape, allocation.deviceKind),
    exclude: allocation.excluded,
    survivesNodeLoss: true,
    argv: [site.python, '-m', 'ironlaw.agent', '--', ...expandedArgv(site, run, program)],
    env: {
      ...program.environment,
      ...secretVariables(runDirectory(site, run), program.secrets),
      ...(site.pythonPath !== undefined && { PYTHONPATH: site.pythonPath }),
      IRONLAW_RUN: run,
      IRONLAW_ALLOCATION: String(allocation.number),
      IRONLAW_RUN_DIR: runDirectory(site, run),
      IRONLAW_API: site.api,
      ...(site.ca !== undefined && { IRONLAW_CA: authorityFile(site) }),
      IRONLAW_PROCESSES: String(spec.shape.processesPerNode),
      ...(spec.shape.devices && { IRONLAW_DEVICES: String(spec.shape.devices.perNode) }),
      ...(spec.predicted_step_s !== undefined && { IRONLAW_STEP_S: String(spec.predicted_step_s) }),
      ...(program.stepPattern !== undefined && { IRONLAW_STEP_PATTERN: program.stepPattern }),
      ...checkpointVariables(spec.shape.checkpoints),
      ...(site.artifacts !== undefined && { IRONLAW_ARTIFACT_STORAGE: site.artifacts }),
      ...(spec.uses && { IRONLAW_ARTIFACTS: JSON.stringify(spec.uses) }),
      ...(spec.from && { IRONLAW_FROM_DIR: runDirectory(site, spec.from.run), IRONLAW_FROM_STEP: String(spec.from.step) }),
    },
    directory: program.directory,
    logDirectory: join(runDirectory(site, run), 'allocations', String(allocation.number).padStart(4, '0')),
    ...(spec.shape.timeLimit_s !== undefined && { timeLimit_s: spec.shape.timeLimit_s }),
  }
}

const checkpointVariables = ({ keepLast, keepEvery, local }: CheckpointPolicy = {}): Readonly<Record<string, string>> => ({
  ...(keepLast !== undefined && { IRONLAW_KEEP_LAST: String(keepLast) }),
  ...(keepEvery !== undefined && { IRONLAW_KEEP_EVERY: String(keepEvery) }),
  ...(local !== undefined && { IRONLAW_LOCAL_DIR: local }),
})

// What a testbed remembers of itself, in `testbed.json` of its folder. Daemons are found by their environment, not by this file.

import { readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ifPresent } from './present.ts'
import type { Identity } from './processes.ts'

export type State = {
  readonly dir: string
  readonly nodes: readonly string[]
  /** First of a row: PostgreSQL, slurmctld, then one for each slurmd, last slurmrestd. */
  readonly port: number
  /** Accelerators of each node. Slurm counts them and assigns them to jobs; there is nothing behind them. */
  readonly devices?: Devices
  /** Slurm's REST API with tokens. */
  readonly rest: boolean
  /** The process whose death makes this testbed litter. A playground started by hand has none. */
  readonly owner: Identity | null
}

export type Devices = { readonly model: string; readonly perNode: number }

export const FOLDER = 'ironlaw-testbed-'
const FILE = 'testbed.json'

export function writeState(state: State): void {
  const draft = join(state.dir, `${FILE}.draft`)
  writeFileSync(draft, JSON.stringify(state, null, 2))
  renameSync(draft, join(state.dir, FILE))
}

export function readState(dir: string): State {
  const state = stateIn(dir)
  if (state === undefined) throw new Error(`${dir} holds no testbed; "npm run testbed -- status" lists those that are up`)
  return state
}

/** Testbeds in the temporary folder. One made elsewhere with `--dir` is known only to its creator. */
export const everyState = (): readonly State[] =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith(FOLDER))
    .flatMap((name) => stateIn(join(tmpdir(), name)) ?? [])

function stateIn(dir: string): State | undefined {
  const text = ifPresent(() => readFileSync(join(dir, FILE), 'utf8'))
  return text === undefined ? undefined : JSON.parse(text)
}

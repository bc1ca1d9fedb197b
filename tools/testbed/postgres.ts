// A private PostgreSQL: own data folder, own port, user postgres, no fsync (a testbed dies whole, never half).

import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { mustRun, run, until } from './daemon.ts'
import type { State } from './state.ts'

const PACKAGES = '/usr/lib/postgresql'

export const postgresUrl = ({ port }: State): string => `postgres://postgres@127.0.0.1:${port}/postgres`

export async function makePostgres(state: State): Promise<void> {
  mkdirSync(home(state))
  chownSync(home(state), user().uid, user().gid)
  await mustRun(program('initdb'), ['-D', data(state), '-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8', '--no-sync'], asPostgres(state))
  await startPostgres(state)
}

export async function startPostgres(state: State): Promise<void> {
  const settings = `-p ${state.port} -k ${home(state)} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200`
  await mustRun(program('pg_ctl'), ['-D', data(state), '-o', settings, '-l', join(home(state), 'log'), '-w', 'start'], asPostgres(state))
}

/** Immediate: backends are cut off as in a crash, and the next start recovers from the log. */
export async function stopPostgres(state: State): Promise<void> {
  if (await isPostgresUp(state)) await mustRun(program('pg_ctl'), ['-D', data(state), '-m', 'immediate', '-w', 'stop'], asPostgres(state))
  await until('PostgreSQL to end', async () => !(await isPostgresUp(state)))
}

export async function isPostgresUp(state: State): Promise<boolean> {
  return existsSync(data(state)) && (await run(program('pg_ctl'), ['-D', data(state), 'status'], asPostgres(state))).status === 0
}

const home = ({ dir }: State): string => join(dir, 'postgres')
const data = (state: State): string => join(home(state), 'data')
const asPostgres = (state: State) => ({ ...user(), cwd: home(state) })

function program(name: string): string {
  const newest = readdirSync(PACKAGES).toSorted((a, b) => Number(b) - Number(a))[0]
  return join(PACKAGES, newest ?? '', 'bin', name)
}

const user = (): { readonly uid: number; readonly gid: number } => ({ uid: idOf('-u'), gid: idOf('-g') })
const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))

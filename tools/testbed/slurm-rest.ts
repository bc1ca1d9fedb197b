// Slurm's REST API on a testbed: a key that signs tokens, one token for root, slurmrestd on 127.0.0.1 as nobody (it refuses root).

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { daemonsOf, mustRun, PATH, startDaemon, until } from './daemon.ts'
import { killEvery } from './processes.ts'
import type { State } from './state.ts'

export type Rest = { readonly url: string; readonly user: string; readonly tokenFile: string }

const LIFESPAN_S = 30 * 86_400

export const restOf = ({ dir, port, nodes, rest }: State): Rest | undefined =>
  rest ? { url: `http://127.0.0.1:${port + 2 + nodes.length}`, user: 'root', tokenFile: join(dir, 'slurm.token') } : undefined

export const jwtConfiguration = (dir: string): string => `AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key=${keyIn(dir)}\n`

export const makeTokenKey = ({ dir }: State): void => writeFileSync(keyIn(dir), randomBytes(32), { mode: 0o600 })

/** The controller signs, so it has to be up. */
export async function makeRest(state: State): Promise<void> {
  const rest = restOf(state)
  if (rest === undefined) return
  const args = ['token', `username=${rest.user}`, `lifespan=${LIFESPAN_S}`]
  const printed = await mustRun('scontrol', args, { env: { PATH, SLURM_CONF: configurationIn(state.dir) } })
  writeFileSync(rest.tokenFile, printed.trim().replace(/^SLURM_JWT=/, ''), { mode: 0o600 })
  await startRest(state)
}

export async function startRest(state: State): Promise<void> {
  const rest = restOf(state)
  if (rest === undefined) throw new Error('this testbed has no REST API; start one with "up --rest"')
  if (isRestUp(state)) return
  const { host } = new URL(rest.url)
  const how = ['-f', configurationIn(state.dir), '-a', 'rest_auth/jwt', '-s', 'openapi/v0.0.38', '-u', 'nobody', '-g', 'nogroup']
  startDaemon({ dir: state.dir, name: 'slurmrestd', command: ['slurmrestd', ...how, host], env: { SLURM_JWT: 'daemon' } })
  // Without a token it answers 401, which is an answer.
  await until('slurmrestd', () =>
    fetch(rest.url).then(
      () => true,
      () => false,
    ),
  )
}

export const stopRest = ({ dir }: State): Promise<void> => killEvery(() => daemonsOf(dir, 'slurmrestd'))

export const isRestUp = ({ dir }: State): boolean => daemonsOf(dir, 'slurmrestd').length > 0

const keyIn = (dir: string): string => join(dir, 'jwt.key')
const configurationIn = (dir: string): string => join(dir, 'slurm.conf')

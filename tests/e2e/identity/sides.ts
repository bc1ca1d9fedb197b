// The two teams with what they have: a person who signs in, a token, a secret, a run and a deployment, all of it hidden from the other.

import { hash } from 'node:crypto'
import { join } from 'node:path'
import { planId } from '@ironlaw/contracts'
import { Visitor } from '../../../packages/effects/control/test/identity-provider.ts'
import { say } from './checks.ts'
import type { Belongings } from './every-operation.ts'
import { type IdentityBed, TEAMS } from './identity-bed.ts'
import { SITE_ADDRESS } from './site.ts'
import type { UnixUser } from './unix-users.ts'

/** People of the identity provider, one of each team. */
export const PEOPLE = { red: 'rae', blue: 'ben' } as const
const ENGINE = join(import.meta.dirname, '../serving/engine-program.ts')

/** One team with what it has; all of it must be hidden from the other. */
export type Side = {
  readonly team: (typeof TEAMS)[number]
  readonly user: UnixUser
  /** Of an operator in the team's project. */
  readonly token: string
  readonly secretValue: string
  readonly belongings: Belongings
}

export async function makeSides({ control, admin, users }: IdentityBed): Promise<readonly [Side, Side]> {
  const teams = TEAMS.map((name, index) => ({
    name,
    projects: [name],
    user: users[index]?.name ?? '',
    members: [{ group: `${name}-people`, role: 'operator' }],
  }))
  await control.get({
    path: '/v1/teams',
    method: 'PUT',
    token: admin,
    body: { administrators: ['platform'], teams },
    headers: { 'if-match': '*' },
  })
  const sides: Side[] = []
  for (const [index, team] of TEAMS.entries()) {
    const user = users[index]
    if (user) sides.push(await makeSide({ control, admin }, team, user))
  }
  const [red, blue] = sides
  if (!red || !blue) throw new Error('there are not two sides')
  say('two teams, each with a token of its project and a secret')
  return [red, blue]
}

async function makeSide(
  { control, admin }: Pick<IdentityBed, 'control' | 'admin'>,
  team: (typeof TEAMS)[number],
  user: UnixUser,
): Promise<Side> {
  const body = { name: `${team}-ci`, role: 'operator', projects: [team] }
  const { id } = await control.get<{ id: string }>({
    path: '/v1/tokens',
    method: 'POST',
    token: admin,
    body,
  })
  const token = await signIn(control, PEOPLE[team])
  const secretValue = `${team}-value-${hash('sha256', token).slice(0, 24)}`
  const path = `/v1/projects/${team}/secrets/${team}-hub`
  await control.get({ path, method: 'PUT', token, body: { value: secretValue } })
  const plan = { apiVersion: 'ironlaw/v1', kind: 'Job', name: `${team}-job`, processes: 1 }
  const script = 'id -un; printf "got %s\\n" "$(cat "$HUB_FILE")"; sleep 1000'
  const created = await control.get<{ id: string; plan: string }>({
    path: '/v1/runs',
    method: 'POST',
    token,
    body: {
      name: `${team}-job`,
      project: team,
      plan: { ...plan, id: planId(plan) },
      program: { argv: ['sh', '-c', script], directory: '/', secrets: { HUB: `${team}-hub` } },
      shape: { nodes: 1, processesPerNode: 1 },
    },
  })
  const environment = { E2E_HOST: SITE_ADDRESS }
  const revision = { model: 'm', argv: [process.execPath, ENGINE], directory: '/', environment, secrets: { HUB: `${team}-hub` } }
  const deployment = { name: `${team}-chat`, project: team, spec: { replicas: 1 }, revision }
  await control.get({ path: '/v1/deployments', method: 'POST', token, body: deployment })
  const belongings = {
    project: team,
    run: created.id,
    plan: created.plan,
    deployment: `${team}-chat`,
    replica: 1,
    secret: `${team}-hub`,
    tenant: `${team}-tenant`,
    budget: `${team}-budget`,
    token: id,
    gateway: 'g1',
  }
  return { team, user, token, secretValue, belongings }
}

/** As "ironlaw login" does: a code of the provider, confirmed in a browser elsewhere. */
export async function signIn(control: IdentityBed['control'], person: string): Promise<string> {
  type Device = { readonly device_code: string; readonly verification_uri_complete: string }
  const device = await control.get<Device>({ path: '/v1/sign-in/device', method: 'POST', body: {} })
  await new Visitor().signInAt(device.verification_uri_complete, person)
  const body = { device_code: device.device_code }
  const { token } = await control.get<{ token: string }>({ path: '/v1/sign-in/device/token', method: 'POST', body })
  return token
}

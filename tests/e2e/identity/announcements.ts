// A replica of one team that says it is where the other's is: were it believed, requests of one team would reach the engine of the other.

import { check, say, until } from './checks.ts'
import type { Opponents } from './attempts.ts'
import type { IdentityBed } from './identity-bed.ts'
import type { Side } from './sides.ts'
import type { Site } from './site.ts'

type ReplicaView = { readonly id: string; readonly state: string; readonly url?: string }
type DeploymentView = { readonly serving: number; readonly replicas: readonly ReplicaView[] }

const lookUp = (control: Site, token: string, deployment: string): Promise<DeploymentView> =>
  control.get({ path: `/v1/deployments/${deployment}`, token })

export async function replicaOf(control: Site, { token, belongings }: Side): Promise<ReplicaView> {
  const { replicas } = await lookUp(control, token, belongings.deployment)
  const [replica] = replicas
  if (!replica) throw new Error(`${belongings.deployment} has no replica`)
  return replica
}

/** With its own token and without a proof, as an engine of others would announce itself. */
const ANNOUNCE = 'printf "%s\\n%s\\n" "$STOLEN" "$IRONLAW_REPLICA_TOKEN" > "$IRONLAW_ENDPOINT_FILE"; sleep 1000'

export async function testAnnouncements(bed: IdentityBed, { own, other }: Opponents): Promise<void> {
  const { control } = bed
  const { url: stolen = '' } = await replicaOf(control, other)
  const name = `${own.team}-thief`
  const revision = { model: 'm', argv: ['sh', '-c', ANNOUNCE], directory: '/', environment: { STOLEN: stolen } }
  const body = { name, project: own.team, spec: { replicas: 1 }, revision }
  await control.get({ path: '/v1/deployments', method: 'POST', token: own.token, body })
  await until(`${name} announces ${stolen}`, async () =>
    (await lookUp(control, own.token, name)).replicas.some(({ url }) => url === stolen),
  )
  let detail = ''
  await until(`the control plane says why ${name} does not serve`, async () => {
    const { replicas } = await control.get<{ replicas: readonly { detail?: string }[] }>({
      path: `/v1/deployments/${name}`,
      token: own.token,
    })
    detail = replicas[0]?.detail ?? ''
    return detail.includes('does not name this replica')
  })
  const { serving } = await lookUp(control, own.token, name)
  check(serving === 0, `${name} serves from the replica of ${other.team}`)
  check((await lookUp(control, other.token, other.belongings.deployment)).serving === 1, `the deployment of ${other.team} suffers`)
  await control.get({ path: `/v1/deployments/${name}`, method: 'DELETE', token: own.token })
  say(`${name} announces the replica of ${other.team} as its own: ${detail}`)
}

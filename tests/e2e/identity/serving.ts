// Both teams' models behind one gateway: over mutual TLS, each for its own keys only.

import { hash } from 'node:crypto'
import { check, say, until } from './checks.ts'
import { type IdentityBed, type RunningGateway, TEAMS } from './identity-bed.ts'
import type { Side } from './sides.ts'
import { type Question, type Reply, type Site, SITE_ADDRESS } from './site.ts'

/** Of each team; no attempt of the other changes it. */
export const BUDGET_USD = 100
/** From the change of the keys to the first refusal at the gateway. */
const REVOKED_WITHIN_S = 2

/** A client's key; rotated keys have higher numbers. */
export type ClientKey = { readonly side: Side; readonly number: number }

export const keyText = ({ side: { team, secretValue }, number }: ClientKey): string =>
  `sk-${team}-${number}-${hash('sha256', secretValue).slice(0, 32)}`

export const promptOf = ({ team, secretValue }: Side): string => `${team} asks ${hash('sha256', secretValue).slice(32)}`

type Completion = { readonly key: ClientKey; readonly model?: string; readonly tokens?: number; readonly isStreamed?: boolean }

export const completionOf = ({ key, model, tokens = 4, isStreamed = false }: Completion): Question => ({
  path: '/v1/completions',
  method: 'POST',
  token: keyText(key),
  body: {
    model: model ?? key.side.belongings.deployment,
    prompt: promptOf(key.side),
    max_tokens: tokens,
    ignore_eos: true,
    stream: isStreamed,
  },
})

type Administration = Pick<IdentityBed, 'control' | 'admin'>

export async function configureKeys({ control, admin }: Administration, keys: readonly ClientKey[]): Promise<void> {
  const tenants = Object.fromEntries(TEAMS.map((team) => [`${team}-tenant`, { budget: `${team}-budget` }]))
  const entries = keys.map((key) => ({
    sha256: hash('sha256', keyText(key)),
    tenant: key.side.belongings.tenant,
    models: [key.side.belongings.deployment],
    log: 'none',
  }))
  const body = { tenants, keys: entries }
  await control.get({ path: '/v1/gateway-config', method: 'PUT', token: admin, body, headers: { 'if-match': '*' } })
}

export const complete = (gateway: Site, completion: Completion): Promise<Reply> => gateway.ask(completionOf(completion))

/** A gateway with a certificate from files serves both teams' models over mutual TLS. */
export async function startServing(bed: IdentityBed, sides: readonly Side[]): Promise<RunningGateway> {
  const { control, admin, startGateway } = bed
  for (const { belongings, token } of sides)
    await until(`${belongings.deployment} serves`, async () => {
      const { serving } = await control.get<{ serving: number }>({ path: `/v1/deployments/${belongings.deployment}`, token })
      return serving === 1
    })
  const [{ team }] = sides as [Side]
  const { replicas } = await control.get<{ replicas: readonly { url?: string }[] }>({ path: `/v1/deployments/${team}-chat`, token: admin })
  check(
    replicas.every(({ url = '' }) => url.startsWith(`https://${SITE_ADDRESS}`)),
    `replicas are at ${JSON.stringify(replicas)}`,
  )
  await configureKeys(
    bed,
    sides.map((side) => ({ side, number: 0 })),
  )
  const body = { name: 'g1', role: 'gateway', gateway: 'g1' }
  const token = await control.get<{ id: string; secret: string }>({ path: '/v1/tokens', method: 'POST', token: admin, body })
  const gateway = await startGateway(token)
  for (const { belongings } of sides)
    await until(`${belongings.budget} is set`, async () => {
      const limit = { limit_usd: BUDGET_USD }
      const answer = await control.ask({ path: `/v1/budgets/${belongings.budget}`, method: 'PUT', token: admin, body: limit })
      return answer.status === 200
    })
  for (const side of sides) {
    let last = ''
    await until(
      () => `the gateway serves ${side.team}: ${last}`,
      async () => {
        // A connection may be reset while the gateway begins.
        const { status, text } = await complete(gateway.site, { key: { side, number: 0 } }).catch((cause) => ({
          status: 0,
          text: String(cause),
        }))
        last = `${status} ${text}`
        return status === 200
      },
    )
  }
  const [red, blue] = sides as [Side, Side]
  const stolen = await complete(gateway.site, { key: { side: red, number: 0 }, model: blue.belongings.deployment })
  check(stolen.status >= 400, `the key of red asks the model of blue: ${stolen.status}`)
  say(`both teams' models answer through a gateway over mutual TLS; a key of one team is refused the model of the other (${stolen.status})`)
  return gateway
}

type Revocation = { readonly gateway: Site; readonly revoked: ClientKey; readonly staying: ClientKey }

export async function testRevocation(bed: IdentityBed, { gateway, revoked, staying }: Revocation): Promise<void> {
  await configureKeys(bed, [staying])
  const revokedAt = Date.now()
  await until('the revoked key is refused', async () => (await complete(gateway, { key: revoked })).status === 401)
  const took_s = (Date.now() - revokedAt) / 1000
  check(took_s <= REVOKED_WITHIN_S, `a revoked key was refused after ${took_s} s`)
  check((await complete(gateway, { key: staying })).status === 200, 'the key that stays is refused')
  say(`a revoked key is refused after ${took_s.toFixed(2)} s`)
}

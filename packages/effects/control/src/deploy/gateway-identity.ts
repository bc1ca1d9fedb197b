// Whether a token may speak for a gateway. One of the role gateway is bound to the first gateway that uses it: counts under made-up names would
// steer rollouts and the autoscaler, and hold replicas that drain.

import { IronlawError, type Principal } from '@ironlaw/contracts'
import { bindGateway, type Database } from '@ironlaw/store'

type Claim = { readonly gateway: string; readonly at: number }

export async function requireGatewayToken(database: Database, principal: Principal | null, { gateway, at }: Claim): Promise<void> {
  // Operators may act for any gateway.
  if (principal?.kind !== 'gateway' || principal.gateway === gateway) return
  if (principal.gateway !== undefined) throw forbiddenError(gateway, `gateway ${principal.gateway}`)
  const { id } = principal
  const event = { kind: 'token-bound', actor: id, at, body: { id, gateway } }
  if ((await bindGateway(database, { id, gateway, event })) === 'taken')
    throw forbiddenError(gateway, 'no gateway yet, and that one has a valid token (name the token after the gateway to replace it)')
}

const forbiddenError = (gateway: string, has: string): IronlawError =>
  new IronlawError('IL_FORBIDDEN', { need: `a token of gateway ${gateway}`, has })

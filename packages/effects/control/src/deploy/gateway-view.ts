// Gateways for people: which configuration each has applied, which it rejected and why, and whether it could keep a copy.

import type { GatewayView } from '@ironlaw/contracts/gateway-sync'
import { type ConfigVersion, gatewayState } from '@ironlaw/policies/deployment'
import type { Gateway, NewEvent } from '@ironlaw/store'

/** As long as the reconciler counts on a silent gateway to come back. */
export const GATEWAY_LISTED_S = 3600

export function gatewayView({ id, seen_at, body }: Gateway, stored: ConfigVersion, now: number): GatewayView {
  const { version, epoch, kept, rejected, budgets } = body
  return {
    id,
    state: gatewayState(body, stored, { seen_at, now }),
    seen_at,
    version,
    ...(epoch !== undefined && { epoch }),
    ...(kept !== undefined && { kept }),
    ...(rejected && { rejected: { version: rejected.version, reason: rejected.reason } }),
    ...(budgets && { budgets }),
  }
}

type VersionGap = { readonly gateway: string; readonly reported: number; readonly stored: number }

export const epochEvent = ({ gateway, reported, stored }: VersionGap, at: number): NewEvent => ({
  kind: 'gateways-epoch-started',
  actor: `gateway/${gateway}`,
  at,
  body: { gateway, reported, stored, why: 'the gateway has a version that this database never gave out: the database was restored' },
})

// Which configuration a gateway has, and what follows. A version counts within an epoch, which is drawn when a database is made. A gateway that
// is ahead of the database in its own epoch shows that the database was restored to an earlier state; versions given out since then would be
// given out again with another content, so a new epoch begins. Envoy's xDS compares versions for equality only, and so cannot notice that.

import type { GatewayState, GatewaySync } from '@ironlaw/contracts/gateway-sync'

export type ConfigVersion = { readonly epoch: string; readonly version: number; readonly digest: string }

type ReportedConfig = Pick<GatewaySync, 'epoch' | 'version' | 'digest' | 'rejected'>

export type SyncDecision = 'up-to-date' | 'send' | 'hold-back' | 'start-epoch'

/** A gateway that was silent for this long may still send requests, but its last report no longer counts. */
export const GATEWAY_FRESH_S = 10

export function decideSync({ epoch, version, digest, rejected }: ReportedConfig, stored: ConfigVersion): SyncDecision {
  // Nothing was ever configured: gateways keep what they have.
  if (stored.version === 0) return 'up-to-date'
  // The same document would be rejected again; the next version, or a new process of the gateway, tries anew.
  if (rejected?.epoch === stored.epoch && rejected.version === stored.version) return 'hold-back'
  if (epoch === undefined) return version === stored.version ? 'up-to-date' : 'send'
  if (epoch !== stored.epoch || version < stored.version) return 'send'
  return version > stored.version || (digest !== undefined && digest !== stored.digest) ? 'start-epoch' : 'up-to-date'
}

type ReportTime = { readonly seen_at: number; readonly now: number }

export function gatewayState(reported: ReportedConfig, stored: ConfigVersion, { seen_at, now }: ReportTime): GatewayState {
  if (now - seen_at > GATEWAY_FRESH_S) return 'silent'
  switch (decideSync(reported, stored)) {
    case 'up-to-date':
      return 'current'
    case 'hold-back':
      return 'rejected'
    case 'send':
    case 'start-epoch':
      return 'behind'
  }
}

/**
 * Whether a gateway has applied a version, or a later one of its epoch. Older gateways name no epoch: only their totals tell. One that starts
 * reports a version below zero and is answered with the configuration of that moment, which its totals do not show yet.
 */
export const hasApplied = (reported: ReportedConfig, { epoch, version }: Pick<ConfigVersion, 'epoch' | 'version'>): boolean =>
  (reported.epoch === undefined && reported.version >= 0) || (reported.epoch === epoch && reported.version >= version)

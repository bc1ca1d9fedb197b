// What a gateway gets for its report: the newest configuration, where it has another.

import { IronlawError } from '@ironlaw/contracts'
import type { GatewaySync } from '@ironlaw/contracts/gateway-sync'
import { decideSync } from '@ironlaw/policies/deployment'
import { configDocument, configVersion, type Database, MOST_GATEWAYS, recordGateway, startEpoch } from '@ironlaw/store'
import { epochEvent } from './gateway-view.ts'

type SyncRequest = { readonly gateway: string; readonly body: GatewaySync; readonly now: () => number }

/** Undefined where the gateway keeps what it has. */
export async function answerSync(
  database: Database,
  { gateway, body, now }: SyncRequest,
): Promise<Awaited<ReturnType<typeof configDocument>> | undefined> {
  if ((await recordGateway(database, { id: gateway, seen_at: now(), body })) === 'too-many')
    throw new IronlawError('IL_LIMIT', {
      what: 'gateways',
      limit: `${MOST_GATEWAYS} at once`,
      next: 'wait for silent ones to be forgotten',
    })
  const stored = await configVersion(database)
  switch (decideSync(body, stored)) {
    case 'up-to-date':
    case 'hold-back':
      return undefined
    case 'start-epoch': {
      const event = epochEvent({ gateway, reported: body.version, stored: stored.version }, now())
      if ((await startEpoch(database, { epoch: stored.epoch, event })) === 'stale') return undefined
      break
    }
    case 'send':
  }
  return configDocument(database)
}

// One engine process as the gateway sees it: what was sent there, how it answered.

import { type Breaker, closedBreaker, type ReplicaLoad, type ReplicaSpeed } from '@ironlaw/policies/serving'
import type { LiveCertificate } from '@ironlaw/certificates'
import type { PoolEntry } from '@ironlaw/contracts/gateway-snapshot'
import { newTally, type ReplicaTally } from '../reporting/replica-tally.ts'
import { Connections } from './connections.ts'

export type Upstream = {
  readonly id: string
  readonly host: string
  readonly isSecure: boolean
  readonly maxRunning: number
  readonly load: ReplicaLoad
  readonly breaker: Breaker
  readonly tally: ReplicaTally
  readonly connections: Connections
  /** No longer in the configuration; what runs there may finish. */
  leaving: boolean
}

export function newUpstream(entry: PoolEntry['replicas'][number], speed: ReplicaSpeed, identity?: LiveCertificate): Upstream {
  const { hostname, port, host, protocol } = new URL(entry.url)
  const address = hostname.replace(/^\[|\]$/g, '')
  const isSecure = protocol === 'https:'
  const tls = isSecure && { tls: { servername: entry.tls_name ?? address, identity } }
  return {
    id: entry.id,
    host,
    isSecure,
    maxRunning: entry.max_running,
    load: { ready: true, running: 0, prefillTokens: 0, decodeTokens: 0, kvTokens: 0, speed },
    breaker: closedBreaker(),
    tally: newTally(),
    connections: new Connections({ host: address, port: port === '' ? (isSecure ? 443 : 80) : Number(port), ...tls }),
    leaving: false,
  }
}

/** What one request adds to a replica from before it is sent until it ends. */
export type LoadShare = { readonly replica: Upstream; prefill: number; decode: number; readonly context: number }

export function addLoad(replica: Upstream, { uncached, output }: { readonly uncached: number; readonly output: number }): LoadShare {
  const { load } = replica
  load.running += 1
  load.prefillTokens += uncached
  load.decodeTokens += output
  load.kvTokens += uncached + output
  return { replica, prefill: uncached, decode: output, context: uncached + output }
}

/** The first token is there: the prompt has been read. */
export function removePrefill(share: LoadShare): void {
  share.replica.load.prefillTokens -= share.prefill
  share.prefill = 0
}

export function removeLoad(share: LoadShare): void {
  const { load } = share.replica
  load.running -= 1
  load.prefillTokens -= share.prefill
  load.decodeTokens -= share.decode
  load.kvTokens -= share.context
  if (share.replica.leaving && load.running === 0) share.replica.connections.close()
}

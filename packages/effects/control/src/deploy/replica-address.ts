// Checks that a URL is on the node where the executor placed a replica. Otherwise a user who can write a file on shared storage could have
// a team's prompts sent to any host.

import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

export type NodeAddress = { readonly name: string; readonly address?: string }

/** Addresses of a host; none where it has no name or the name does not resolve. */
export type Resolve = (host: string) => Promise<readonly string[]>

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

const isLoopback = (address: string): boolean => LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Nodes that the executor reaches by loopback are shares of this machine, whose other addresses are theirs as well. */
export async function isOnNodes(url: string, places: readonly NodeAddress[], resolve: Resolve = resolveHost): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (places.some(({ name, address }) => host === name || host === address)) return true
  const given = await resolve(host)
  for (const { name, address = name } of places) {
    const theirs = await resolve(address)
    const all = theirs.some(isLoopback) ? [...theirs, ...ownAddresses()] : theirs
    if (given.length > 0 && given.every((each) => all.includes(each) || (isLoopback(each) && theirs.some(isLoopback)))) return true
  }
  return false
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))

const resolveHost: Resolve = async (host) => {
  if (isIP(host) !== 0) return [host]
  // A name that does not resolve has no address.
  const found = await lookup(host, { all: true }).catch(() => [])
  return found.map(({ address }) => address)
}

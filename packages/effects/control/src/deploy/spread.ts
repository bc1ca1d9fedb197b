// Which nodes a new replica stays away from, so that the death of one node does not take a deployment with it: those that host another of
// its replicas, and those left to the others that start with it. Where there are too few nodes for that, none.

import { isInService, type NodeSighting } from '@ironlaw/contracts'

export function excludedNodes(
  nodes: readonly NodeSighting[],
  { hosts, starts, slots }: { hosts: readonly string[]; starts: number; slots: number },
): readonly (readonly string[])[] {
  const free = nodes.filter((node) => isInService(node) && node.free >= slots && !hosts.includes(node.name))
  return Array.from({ length: starts }, (_, start) => {
    const mine = free.filter((_node, index) => index % starts === start).map(({ name }) => name)
    return mine.length === 0 ? [] : nodes.map(({ name }) => name).filter((name) => !mine.includes(name))
  })
}

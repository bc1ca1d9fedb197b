// Which nodes a new replica stays away from, so that the death of one node does not take a deployment with it: those that host another of
// its replicas, and those left to the others that start with it. Where there are too few nodes for that, none.

export type Room = { readonly name: string; readonly state: string; readonly slots: number; readonly freeSlots: number }

export function excludedNodes(
  nodes: readonly Room[],
  { hosts, starts, slots }: { hosts: readonly string[]; starts: number; slots: number },
): readonly (readonly string[])[] {
  const free = nodes.filter(({ name, state, freeSlots }) => state === 'ready' && freeSlots >= slots && !hosts.includes(name))
  return Array.from({ length: starts }, (_, start) => {
    const mine = free.filter((_node, index) => index % starts === start).map(({ name }) => name)
    return mine.length === 0 ? [] : nodes.map(({ name }) => name).filter((name) => !mine.includes(name))
  })
}

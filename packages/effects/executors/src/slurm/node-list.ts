// The nodes that Slurm shows.

import type { Node } from '../executor.ts'

export const NODE_FORMAT = '%N|%T|%C|%o|%E'

const WORKING = /^(?:idle|mixed|allocated|completing|planned)$/

/** A node stands once for each of its partitions. */
export const nodesIn = (stdout: string): readonly Node[] => [
  ...new Map(
    stdout
      .split('\n')
      .filter((line) => line.includes('|'))
      .map((line) => nodeIn(line))
      .map((node) => [node.name, node]),
  ).values(),
]

/** %C is allocated/idle/other/total. `*` after a state: not responding, and not yet down. Other marks speak of power saving. */
function nodeIn(line: string): Node {
  const [name = '', shown = '', cpus = '', address = '', ...words] = line.split('|')
  const [, idle = 0, , slots = 0] = cpus.split('/').map(Number)
  const reason = words.join('|')
  const state = stateOf(shown)
  const known = { ...(address !== '' && address !== name && { address }), ...(reason !== 'none' && { reason }) }
  return { name, state, slots, freeSlots: state === 'ready' ? idle : 0, ...known }
}

function stateOf(shown: string): Node['state'] {
  const [word = ''] = /^\w*/.exec(shown) ?? []
  if (word.startsWith('drain')) return 'drained'
  if (!WORKING.test(word)) return 'down'
  return shown.endsWith('*') ? 'silent' : 'ready'
}

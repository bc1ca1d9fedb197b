// The nodes that Slurm shows.

import { type Node, workingState } from '../executor.ts'
import { devicesIn } from './gres.ts'

export const NODE_FORMAT = '%N|%T|%C|%o|%G|%E'
/** Only --Format shows what of them is taken; cut off at these widths, and without spaces in between. */
export const USED_FORMAT = 'NodeList:256,GresUsed:1024'

const WORKING = /^(?:idle|mixed|allocated|completing|planned)$/

/** Generic resources in use by node, from lines of USED_FORMAT. */
export const usedResources = (stdout: string): ReadonlyMap<string, string> =>
  new Map(
    stdout.split('\n').map((line) => {
      const [name = '', used = ''] = line.trim().split(/\s+/)
      return [name, used]
    }),
  )

export const hasDevices = (nodes: readonly Node[]): boolean => nodes.some(({ devices }) => devices !== undefined)

/** A node stands once for each of its partitions. */
export const nodesIn = (stdout: string, used: ReadonlyMap<string, string> = new Map()): readonly Node[] => [
  ...new Map(
    stdout
      .split('\n')
      .filter((line) => line.includes('|'))
      .map((line) => nodeIn(line, used))
      .map((node) => [node.name, node]),
  ).values(),
]

/** %C is allocated/idle/other/total. `*` after a state: not responding, and not yet down. Other marks speak of power saving. */
function nodeIn(line: string, used: ReadonlyMap<string, string>): Node {
  const [name = '', shown = '', cpus = '', address = '', gres = '', ...words] = line.split('|')
  const [, idle = 0, , slots = 0] = cpus.split('/').map(Number)
  const reason = words.join('|')
  const away = awayState(shown)
  const free = away ? 0 : idle
  const devices = devicesIn({ total: gres, used: used.get(name) ?? '' }, !away)
  const known = {
    ...(devices && { devices }),
    ...(address !== '' && address !== name && { address }),
    ...(reason !== 'none' && { reason }),
  }
  return { name, state: away ?? workingState({ slots, free }), slots, free, ...known }
}

/** Of a node that takes no jobs. */
function awayState(shown: string): Node['state'] | undefined {
  const [word = ''] = /^\w*/.exec(shown) ?? []
  if (word.startsWith('drain')) return 'drained'
  if (!WORKING.test(word)) return 'down'
  return shown.endsWith('*') ? 'unresponsive' : undefined
}

import { count, law, one } from '../law.ts'
import { vol2 } from '../sources.ts'

export const affinityWaste = law({
  id: 'routing/affinity-waste',
  name: 'Time lost without session affinity',
  decides: 'whether a conversation should stay on its replica',
  is: '(turns - 1) * rebuildTime',
  source: vol2.inferenceAtScale,
  validity: 'every turn after the first lands on a replica without its cache; the rebuild as long at each turn',
  inputs: { turns: count, rebuildTime: one('s') },
  output: 'waste',
  unit: 's',
  of: ({ turns, rebuildTime }) => (turns - 1) * rebuildTime,
})

export const consistentHashMoves = law({
  id: 'routing/consistent-hash-moves',
  name: 'Sessions that move when a server joins',
  decides: 'how many caches a scale-out throws away',
  is: 'keys / (servers + 1)',
  source: 'D. Karger et al., Consistent Hashing and Random Trees, STOC 1997',
  validity: 'keys spread evenly, enough points on the ring for each server; servers counted before the new one joins',
  inputs: { keys: one('1'), servers: count },
  output: 'moved',
  unit: '1',
  of: ({ keys, servers }) => keys / (servers + 1),
  also: {
    movedByModulo: {
      unit: '1',
      is: 'keys * servers / (servers + 1)',
      of: ({ keys, servers }) => (keys * servers) / (servers + 1),
    },
  },
})

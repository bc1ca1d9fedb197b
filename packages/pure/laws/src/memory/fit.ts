// Whether a predicted need fits. A need that is known to a few per cent does not fit or fail to fit: it fits with a probability.

import { law, one, share, shareOr } from '../law.ts'
import { normalQuantile, normalShareAbove } from '../normal.ts'

const INDEPENDENT = 'independent errors add as squares'

export const needSpread = law({
  id: 'memory/need-spread',
  name: 'Standard deviation of a predicted memory need',
  decides: 'how much memory a training layout must leave free',
  is: 'sqrt((allocatorSpread * allocated) ^ 2 + (transientSpread * transient) ^ 2 + outside ^ 2)',
  source: INDEPENDENT,
  validity:
    'weights, gradients and optimizer states are exact; what lives for part of a step (transient), what the allocator adds to all that it holds, and what lies outside it are off on their own',
  // Fragmentation included, it may be a little more than is allocated.
  holds: ({ allocated, transient }) => transient <= 1.1 * allocated,
  inputs: { allocated: one('B'), transient: one('B'), outside: one('B'), allocatorSpread: share, transientSpread: share },
  output: 'spread',
  unit: 'B',
  of: ({ allocated, transient, outside, allocatorSpread, transientSpread }) =>
    Math.sqrt((allocatorSpread * allocated) ** 2 + (transientSpread * transient) ** 2 + outside ** 2),
})

export const fitProbability = law({
  id: 'memory/fit-probability',
  name: 'Probability that a predicted need fits',
  decides: 'whether a training layout is safe to start, or needs recomputation, sharding or a smaller microbatch',
  is: 'normalAbove((likely - deviceMemory) / spread)',
  source: `${INDEPENDENT} and are taken as normal`,
  validity: 'the likely need is the median; one device, the fullest, stands for all, so that ranks that differ by chance are less safe',
  holds: ({ spread }) => spread > 0,
  inputs: { likely: one('B'), spread: one('B'), deviceMemory: one('B'), asked: shareOr(0.95) },
  output: 'probability',
  unit: '1',
  of: ({ likely, spread, deviceMemory }) => normalShareAbove((likely - deviceMemory) / spread),
  also: {
    assured: {
      unit: 'B',
      is: 'likely + normalQuantile(asked) * spread',
      of: ({ likely, spread, asked = 0.95 }) => likely + normalQuantile(asked) * spread,
    },
  },
})

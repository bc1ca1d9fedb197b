// What narrower numbers can gain on hardware that supports them.

import { count, law } from '../law.ts'

export const speedupCeiling = law({
  id: 'precision/speedup-ceiling',
  name: 'Speedup ceiling of a narrower format',
  decides: 'whether lower precision can buy the speed that is missing',
  is: 'bitsHigh / bitsLow',
  source: 'Machine Learning Systems vol. 1, Model Serving (V. J. Reddi et al.)',
  validity: 'bandwidth bound, or arithmetic whose rate doubles with each halving of the width; scales and conversions cost part of it',
  holds: ({ bitsHigh, bitsLow }) => bitsLow <= bitsHigh,
  inputs: { bitsHigh: count, bitsLow: count },
  output: 'ratio',
  unit: '1',
  of: ({ bitsHigh, bitsLow }) => bitsHigh / bitsLow,
})

export const simdLanes = law({
  id: 'precision/simd-lanes',
  name: 'Values per vector instruction',
  decides: 'which precision to choose for vector code on a processor',
  is: 'registerBits / elementBits',
  source: 'Machine Learning Systems vol. 1, Model Compression (V. J. Reddi et al.)',
  validity: 'compute-bound vector code on a processor with instructions for that width',
  holds: ({ registerBits, elementBits }) => elementBits <= registerBits,
  inputs: { registerBits: count, elementBits: count },
  output: 'lanes',
  unit: '1',
  of: ({ registerBits, elementBits }) => registerBits / elementBits,
})

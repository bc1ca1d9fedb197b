// What narrower numbers can gain on hardware that supports them.

import { count, law } from '../law.ts'
import { vol1 } from '../sources.ts'

export const speedupCeiling = law({
  id: 'precision/speedup-ceiling',
  name: 'Speedup ceiling of a narrower format',
  decides: 'whether lower precision can buy the speed that is missing',
  is: 'bitsHigh / bitsLow',
  source: vol1.modelServing,
  validity: 'bandwidth bound, or arithmetic whose rate doubles with each halving of the width; scales and conversions cost part of it',
  holds: ({ bitsHigh, bitsLow }) => bitsLow <= bitsHigh,
  inputs: { bitsHigh: count, bitsLow: count },
  output: 'ratio',
  unit: '1',
  of: ({ bitsHigh, bitsLow }) => bitsHigh / bitsLow,
})

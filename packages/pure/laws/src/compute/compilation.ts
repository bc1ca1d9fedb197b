// When compiling a model ahead of running it pays for the time it takes.

import { law, one, or } from '../law.ts'
import { vol1 } from '../sources.ts'

export const compileBreakEven = law({
  id: 'compute/compile-break-even',
  name: 'Samples that pay for a compilation',
  decides: 'whether to compile a model or run it eagerly',
  is: 'compileTime / (1 / eagerRate - 1 / compiledRate)',
  source: vol1.mlFrameworks,
  validity: 'one compilation, then stable shapes; compiled code is the faster one',
  holds: ({ eagerRate, compiledRate }) => compiledRate > eagerRate,
  inputs: { compileTime: one('s'), eagerRate: one('1/s'), compiledRate: one('1/s') },
  output: 'samples',
  unit: '1',
  of: ({ compileTime, eagerRate, compiledRate }) => compileTime / (1 / eagerRate - 1 / compiledRate),
})

export const compileTotalTime = law({
  id: 'compute/compile-total-time',
  name: 'Time of compilations and execution together',
  decides: 'whether frequent recompilation eats what faster code saves',
  is: 'compiles * compileTime + samples / rate',
  source: vol1.mlFrameworks,
  validity: 'compilation and execution one after the other; without a rate execution takes no time',
  inputs: { compiles: or('1', 0), compileTime: or('s', 0), samples: or('1', 0), rate: or('1/s', Infinity) },
  output: 'time',
  unit: 's',
  of: ({ compiles = 0, compileTime = 0, samples = 0, rate = Infinity }) => compiles * compileTime + samples / rate,
})

// What an interface leaks and what it costs to copy the model behind it.

import { DAY } from '@ironlaw/units'
import { count, law, one, or, share } from '../law.ts'

export const adaptiveThrottle = law({
  id: 'security/adaptive-throttle',
  name: 'Rate limit that follows suspicion',
  decides: 'how far to cut the quota of a suspicious client',
  is: 'exp(-alpha * score)',
  source: 'Machine Learning Systems vol. 2, Security and Privacy',
  validity: 'score from 0 to 1 and calibrated, alpha chosen so that honest bursts survive',
  inputs: { alpha: or('1', 1), score: share },
  output: 'factor',
  unit: '1',
  of: ({ alpha = 1, score }) => Math.exp(-alpha * score),
  also: { cut: { unit: '1', is: '1 - factor', of: (_, factor) => 1 - factor } },
})

export const extractionPlan = law({
  id: 'security/extraction-plan',
  name: 'Time and money to copy a model through its interface',
  decides: 'which rate limit and price make extraction unattractive',
  is: 'queries / queriesPerDay * day',
  source: 'F. Tramer et al., Stealing Machine Learning Models via Prediction APIs, USENIX Security 2016',
  validity: 'one account within its limit; accounts in concert divide the time but not the bill',
  inputs: { queries: count, queriesPerDay: count, pricePerQuery: or('USD', 0) },
  output: 'time',
  unit: 's',
  of: ({ queries, queriesPerDay }) => (queries / queriesPerDay) * DAY,
  also: { cost: { unit: 'USD', is: 'queries * pricePerQuery', of: ({ queries, pricePerQuery = 0 }) => queries * pricePerQuery } },
})

export const priceFloor = law({
  id: 'security/price-floor',
  name: 'Price at which copying costs as much as training',
  decides: 'the lowest price per query that makes theft irrational',
  is: 'trainingCost / queries',
  source: 'Machine Learning Systems vol. 2, Security and Privacy',
  validity: "the thief's alternative is to train a model of its own, and a copy needs that many queries",
  inputs: { trainingCost: one('USD'), queries: count },
  output: 'pricePerQuery',
  unit: 'USD',
  of: ({ trainingCost, queries }) => trainingCost / queries,
})

export const roundingLeak = law({
  id: 'security/rounding-leak',
  name: 'Information withheld by rounding scores',
  decides: 'how many decimals of a probability to return',
  is: '(decimalsBefore - decimalsAfter) * log2(10)',
  source: 'Machine Learning Systems vol. 2, Security and Privacy',
  validity: 'per returned score, an upper bound: the digits dropped carry information only as far as they are not noise',
  holds: ({ decimalsBefore, decimalsAfter }) => decimalsAfter <= decimalsBefore,
  inputs: { decimalsBefore: one('1'), decimalsAfter: one('1') },
  output: 'bits',
  unit: '1',
  of: ({ decimalsBefore, decimalsAfter }) => (decimalsBefore - decimalsAfter) * Math.log2(10),
})

export const topKLeak = law({
  id: 'security/topk-leak',
  name: 'Information withheld by returning few classes',
  decides: 'how many classes an interface should return',
  is: 'log2(classes / returned)',
  source: 'Machine Learning Systems vol. 2, Security and Privacy',
  validity: 'per query, classes about equally informative',
  holds: ({ classes, returned }) => returned <= classes,
  inputs: { classes: count, returned: count },
  output: 'bits',
  unit: '1',
  of: ({ classes, returned }) => Math.log2(classes / returned),
})

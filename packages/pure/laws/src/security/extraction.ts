// What an interface leaks and what it costs to copy the model behind it.

import { DAY } from '@ironlaw/units'
import { count, law, maybe, one } from '../law.ts'
import { vol2 } from '../sources.ts'

export const extractionPlan = law({
  id: 'security/extraction-plan',
  name: 'Time and money to copy a model through its interface',
  decides: 'which rate limit and price make extraction unattractive',
  is: 'queries / queriesPerDay * day',
  source: 'F. Tramer et al., Stealing Machine Learning Models via Prediction APIs, USENIX Security 2016',
  validity: 'one account within its limit; accounts in concert divide the time but not the bill',
  inputs: { queries: count, queriesPerDay: count, pricePerQuery: maybe('USD') },
  output: 'time',
  unit: 's',
  of: ({ queries, queriesPerDay }) => (queries / queriesPerDay) * DAY,
  also: { cost: { unit: 'USD', is: 'queries * pricePerQuery', of: ({ queries, pricePerQuery = Number.NaN }) => queries * pricePerQuery } },
})

export const priceFloor = law({
  id: 'security/price-floor',
  name: 'Price at which copying costs as much as training',
  decides: 'the lowest price per query that makes theft irrational',
  is: 'trainingCost / queries',
  source: vol2.securityAndPrivacy,
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
  source: vol2.securityAndPrivacy,
  validity: 'per returned score, an upper bound: the digits dropped carry information only as far as they are not noise',
  holds: ({ decimalsBefore, decimalsAfter }) => decimalsAfter <= decimalsBefore,
  inputs: { decimalsBefore: one('1'), decimalsAfter: one('1') },
  output: 'bits',
  unit: '1',
  of: ({ decimalsBefore, decimalsAfter }) => (decimalsBefore - decimalsAfter) * Math.log2(10),
})

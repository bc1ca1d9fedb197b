import { count, law, one } from '../law.ts'

export const sisa = law({
  id: 'privacy/sisa',
  name: 'Unlearning by sharded training',
  decides: 'into how many shards to train so that a deletion stays affordable',
  is: 'fullCost / shards',
  source: 'L. Bourtoule et al., Machine Unlearning, IEEE S&P 2021',
  validity: 'equal shards, each with a model of its own, and deletions that fall into one shard; no slicing inside a shard',
  inputs: { fullCost: one('USD'), fullDuration: one('s'), shards: count },
  output: 'cost',
  unit: 'USD',
  of: ({ fullCost, shards }) => fullCost / shards,
  also: { time: { unit: 's', is: 'fullDuration / shards', of: ({ fullDuration, shards }) => fullDuration / shards } },
})

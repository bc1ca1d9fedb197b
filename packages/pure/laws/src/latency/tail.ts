import { count, law, share } from '../law.ts'

const TAIL = 'J. Dean and L. A. Barroso, The Tail at Scale, CACM 56(2), 2013'

export const fanOutTail = law({
  id: 'latency/fan-out-tail',
  name: 'Tail at scale',
  decides: 'how many servers a request may wait for before the slow ones set its latency',
  is: '1 - (1 - slowShare)^requests',
  source: TAIL,
  validity: 'independent servers, the request waits for all of them; for hedged calls slowShare is the share in which both copies are slow',
  inputs: { slowShare: share, requests: count },
  output: 'probability',
  unit: '1',
  of: ({ slowShare, requests }) => -Math.expm1(requests * Math.log1p(-slowShare)),
})

export const hedgeLoad = law({
  id: 'latency/hedge-load',
  name: 'Load of hedged requests',
  decides: 'after which percentile to send a second copy',
  is: '2 - hedgePercentile',
  source: TAIL,
  validity: 'one second copy for every request still open at the percentile; the first copy runs on',
  inputs: { hedgePercentile: share },
  output: 'load',
  unit: '1',
  of: ({ hedgePercentile }) => 2 - hedgePercentile,
})

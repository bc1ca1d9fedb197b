// Bytes that each kind of parallelism sends, which decide the link it needs.

import { count, law, one, or } from '../law.ts'
import { vol2 } from '../sources.ts'

export const boundaryVolume = law({
  id: 'parallelism/boundary-volume',
  name: 'Activations across a pipeline boundary',
  decides: 'whether a pipeline may cross nodes on the network',
  is: 'batch * seqLen * hidden * bytesPerValue',
  source: vol2.computeInfrastructure,
  validity: 'one microbatch, one direction, one boundary between whole layers; the backward pass sends as much back',
  inputs: { batch: count, seqLen: one('token'), hidden: count, bytesPerValue: one('B') },
  output: 'volume',
  unit: 'B',
  of: ({ batch, seqLen, hidden, bytesPerValue }) => batch * seqLen * hidden * bytesPerValue,
})

// The book leaves the sequence length out once and arrives at 0.2 MB instead of 403 MB.
export const tensorParallelVolume = law({
  id: 'parallelism/tp-volume',
  name: 'Activations reduced by tensor parallelism',
  decides: 'whether tensor parallelism must stay inside a node',
  is: '2 * batch * seqLen * hidden * bytesPerValue',
  source: 'M. Shoeybi et al., Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism, 2019',
  validity: 'forward pass, two all-reduces per layer, payload before the ring factor; backward reduces as much again',
  inputs: { batch: count, seqLen: one('token'), hidden: count, bytesPerValue: one('B'), layers: or('1', 1, { least: 1 }) },
  output: 'perLayer',
  unit: 'B',
  of: ({ batch, seqLen, hidden, bytesPerValue }) => 2 * batch * seqLen * hidden * bytesPerValue,
  also: { total: { unit: 'B', is: 'layers * perLayer', of: ({ layers = 1 }, perLayer) => layers * perLayer } },
})

export const moePeerVolume = law({
  id: 'parallelism/moe-peer-volume',
  name: 'Tokens exchanged among experts',
  decides: 'whether expert parallelism fits the bisection bandwidth of a fabric',
  is: 'tokensPerDevice / devices * hidden * bytesPerValue',
  source: vol2.collectiveCommunication,
  validity: 'balanced routing to one expert per token, one dispatch; each layer dispatches and combines',
  inputs: { tokensPerDevice: one('token'), devices: count, hidden: count, bytesPerValue: one('B') },
  output: 'perPeer',
  unit: 'B',
  of: ({ tokensPerDevice, devices, hidden, bytesPerValue }) => (tokensPerDevice / devices) * hidden * bytesPerValue,
  also: { sent: { unit: 'B', is: '(devices - 1) * perPeer', of: ({ devices }, perPeer) => (devices - 1) * perPeer } },
})

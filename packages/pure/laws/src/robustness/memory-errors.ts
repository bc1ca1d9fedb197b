import { law, one } from '../law.ts'
import { vol2 } from '../sources.ts'

export const memoryErrors = law({
  id: 'robustness/memory-errors',
  name: 'Bit errors of memory traffic',
  decides: 'whether a device needs error correction or duplicate checks for the length of a run',
  is: 'bandwidth * 8 * bitErrorRate * time',
  source: vol2.robustAI,
  validity: 'errors independent and proportional to the bits moved, before any correction',
  inputs: { bandwidth: one('B/s'), bitErrorRate: one('1', { most: 1 }), time: one('s') },
  output: 'errors',
  unit: '1',
  of: ({ bandwidth, bitErrorRate, time }) => bandwidth * 8 * bitErrorRate * time,
})

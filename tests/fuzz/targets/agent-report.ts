// A report of a node's agent, which the job's own code can write.

import { REPORT } from '@ironlaw/contracts/report'
import { checkedBody } from '../schema-states.ts'
import type { Target } from '../target.ts'

const REPORTED = {
  node: 'n1',
  index: 0,
  sequence: 1,
  sent_at: 5,
  beats: [{ node: 'n1', index: 0, host: 'h', age_s: 0, ranks: [{ rank: 0, step: 1, phase: 'step', phase_age_s: 0, alive: true }] }],
  exits: [{ node: 'n1', index: 0, rank: 0, code: 1, signal: null, at: 1, tail: 'x', killed: false }],
  steps: [
    {
      step: 1,
      at: 1,
      seconds: 1,
      tokens: 8,
      loss: 0.5,
      gradient_norm: null,
      world: 1,
      phases_s: { a: 1 },
      slowest: { rank: 0, compute_s: 1 },
    },
  ],
  checkpoints: [{ state: 'committed', step: 1, attempt: 1, bytes: 1, write_s: 1, pause_s: 0, at: 1, manifest: 'attempts/1/open/x.json' }],
  notes: [{ kind: 'attached', at: 1, detail: { a: [1] } }],
}

export const target: Target = {
  grammar: 'json',
  seeds: [JSON.stringify(REPORTED)],
  words: [
    'restored',
    'corrupt',
    'refused',
    'resumed',
    'preempting',
    'head-unreachable',
    'fenced',
    'completed',
    'dropped',
    'median_compute_s',
  ],
  run: (input, mark) => void checkedBody(input.toString('utf8'), REPORT, mark),
}

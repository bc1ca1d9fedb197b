import { expect, test } from 'vitest'
import { type ShownNode, nodeOf } from './shown-node.ts'

const IDLE: ShownNode = { name: 'n1', state: 'idle', state_flags: [], partitions: ['main'], cpus: 8, idle_cpus: 8, reason: '' }
const MIXED = { state: 'mixed', idle_cpus: 5 }

test.each([
  [{}, { state: 'idle', free: 8 }],
  [MIXED, { state: 'busy', free: 5 }],
  [
    { ...MIXED, state_flags: ['COMPLETING'] },
    { state: 'busy', free: 5 },
  ],
  [
    { ...MIXED, state_flags: ['NOT_RESPONDING'] },
    { state: 'unresponsive', free: 0 },
  ],
  [
    { ...MIXED, state_flags: ['DRAIN'], reason: 'ECC errors' },
    { state: 'drained', free: 0, reason: 'ECC errors' },
  ],
  [
    { state: 'down', state_flags: ['NOT_RESPONDING'], reason: 'Not responding' },
    { state: 'down', free: 0, reason: 'Not responding' },
  ],
  [{ state_flags: ['MAINTENANCE'] }, { state: 'down', free: 0 }],
  [
    { ...MIXED, gres: 'gpu:h100:4', gres_used: 'gpu:h100:3(IDX:0,2-3)' },
    { state: 'busy', free: 5, devices: [{ kind: 'gpu:h100', total: 4, free: 1 }] },
  ],
])('%j', (change, node) => {
  expect(nodeOf({ ...IDLE, ...change })).toEqual({ name: 'n1', slots: 8, ...node })
})

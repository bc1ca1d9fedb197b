import { expect, test } from 'vitest'
import { resourcesOf } from './job-resources.ts'

const SITE = {
  accelerators: [
    { name: 'a100-40', kind: 'gpu:a100', constraint: 'm40', memory_bytes: 40e9 },
    { name: 'a100-80', kind: 'gpu:a100', constraint: 'm80', memory_bytes: 80e9 },
  ],
}

test.each([
  ['the one that was named', { perNode: 1, kinds: ['a100-80'] }, 'm80'],
  ['by capability one that suffices', { perNode: 1, kinds: [], orAtLeast: { memory_bytes: 64e9 } }, 'm80'],
  ['by capability the first that suffices', { perNode: 1, kinds: [], orAtLeast: { memory_bytes: 10e9 } }, 'm40'],
])('of two that the cluster calls alike, %s', (_, devices, constraint) =>
  expect(resourcesOf(SITE, { devices }, 'gpu:a100')).toMatchObject({ constraint }),
)

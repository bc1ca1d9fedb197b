import type { RunView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { GatewayView } from '@ironlaw/contracts/gateway-sync'
import { expect, test } from 'vitest'
import { noticesOf, type ObservedState } from './notices.ts'

const NOW = 1_000_000
const CALM: ObservedState = { runs: [], deployments: [], nodes: [], gateways: [], clockAhead_s: 2 }

const RUN: RunView = {
  id: 'tiny-1',
  name: 'tiny',
  project: 'default',
  team: 'default',
  state: 'running',
  state_since_at: NOW - 50,
  why: '',
  plan: 'plan-1',
  shape: { nodes: 1, processesPerNode: 1, smaller: [] },
  argv: [],
  environment: [],
  attempt: 1,
  created_at: NOW - 100,
  created_by: 'ada',
}

const DEPLOYMENT: DeploymentView = {
  id: 'chat-1',
  name: 'chat',
  project: 'default',
  team: 'default',
  state: 'serving',
  state_since_at: NOW - 50,
  why: '',
  wanted: 1,
  serving: 1,
  stable: 1,
  newest: 1,
  replicas: [],
  spec: { replicas: 1, rollout: { margins: {} }, probes: [], limits: {} },
  revisions: [],
  created_at: NOW - 100,
  created_by: 'ada',
}

const ROLLOUT: NonNullable<DeploymentView['rollout']> = {
  revision: 2,
  stable: 1,
  state: 'rolled-back',
  stage: 0,
  since_at: NOW - 9,
  share: 0,
  why: 'errors',
  findings: [],
}

const gatewayOf = (spent_usd: number): GatewayView => ({
  id: `gateway-${spent_usd}`,
  state: 'current',
  seen_at: NOW - 1,
  version: 3,
  budgets: [{ name: 'support', spent_usd, limit_usd: 100 }],
})

test.each<readonly [string, Partial<ObservedState>, readonly string[]]>([
  ['nothing when all is well', { runs: [RUN], deployments: [DEPLOYMENT] }, []],
  [
    'a run that failed today',
    { runs: [{ ...RUN, state: 'failed', ended_at: NOW - 50, outcome: { cause: 'rank-died', detail: 'exit 1' } }] },
    ['Run tiny failed: exit 1'],
  ],
  ['not one that failed last week', { runs: [{ ...RUN, state: 'failed', ended_at: NOW - 700_000 }] }, []],
  [
    'unavailable storage',
    { runs: [{ ...RUN, state: 'recovering', why: 'waiting for storage: /shared' }] },
    ['Run tiny: shared storage is unavailable: waiting for storage: /shared'],
  ],
  ['a rollback', { deployments: [{ ...DEPLOYMENT, rollout: ROLLOUT }] }, ['chat: revision 2 was rolled back: errors']],
  [
    'a rollout that waits for a decision',
    { deployments: [{ ...DEPLOYMENT, rollout: { ...ROLLOUT, state: 'paused', why: 'undecided' } }] },
    ['chat: revision 2 waits for your decision: undecided'],
  ],
  [
    'nodes that are away, together',
    { nodes: ['a', 'b'].map((name) => ({ name, state: 'down', slots: 8, free: 0 })) },
    ['2 nodes are down or unresponsive: a, b'],
  ],
  [
    'a budget that is nearly spent, once for all gateways',
    { gateways: [gatewayOf(81), gatewayOf(83)] },
    ['Budget support is 83 % spent: $83.00 of $100.00; its tenants are refused when it is spent.'],
  ],
  ['a budget that is spent', { gateways: [gatewayOf(100)] }, ['Budget support is spent: $100.00 of $100.00; its tenants are refused.']],
  ['not one with room', { gateways: [gatewayOf(79)] }, []],
  [
    'clocks that differ',
    { clockAhead_s: -90 },
    [
      'The clocks of this computer and the control plane differ by 90 s: Times on these pages are off by that much. Synchronize both clocks with NTP.',
    ],
  ],
])('%s', (_, observed, told) => {
  expect(noticesOf({ ...CALM, ...observed }, NOW).map(({ title, why }) => `${title}: ${why}`)).toEqual(told)
})

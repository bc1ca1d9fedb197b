import type { DeviceCount, DeviceRequest, NodeSighting, SiteDevice } from '@ironlaw/contracts'
import { expect, test } from 'vitest'
import { acceptedKinds, deviceNeeds, singleNodeKind } from './devices.ts'
import { allocation, attempt, actionFor } from './observation.fixture.ts'

const GB = 1e9
const SITE: readonly SiteDevice[] = [
  { name: 'h100-sxm', kind: 'gpu:h100', memory_bytes: 80 * GB, linkDomain: 8, constraint: 'nvlink' },
  { name: 'h200-sxm', kind: 'gpu:h200', memory_bytes: 141 * GB, linkDomain: 8 },
  { name: 'a100-80gb-pcie', kind: 'gpu:a100', memory_bytes: 80 * GB, linkDomain: 2 },
  { name: 'l4', kind: 'gpu:l4' },
]
const OFFERED = ['gpu:h100', 'gpu:h200', 'gpu:a100', 'gpu:l4', 'tpu']

test.each<[string, DeviceRequest, readonly SiteDevice[], readonly string[]]>([
  ['by the name that the site maps', { perNode: 8, kinds: ['h100-sxm'] }, SITE, ['gpu:h100']],
  [
    "by the cluster's name, whole or without its family",
    { perNode: 8, kinds: ['gpu:h200', 'h100', 'tpu'] },
    [],
    ['gpu:h200', 'gpu:h100', 'tpu'],
  ],
  ['an unknown name', { perNode: 8, kinds: ['h100-sxm'] }, [], []],
  [
    'h100 or anything with at least 80 GB and a link domain of 8',
    { perNode: 8, kinds: ['h100-sxm'], orAtLeast: { memory_bytes: 80 * GB, linkDomain: 8 } },
    SITE,
    ['gpu:h100', 'gpu:h200'],
  ],
  ['by memory alone', { perNode: 1, kinds: [], orAtLeast: { memory_bytes: 80 * GB } }, SITE, ['gpu:h100', 'gpu:h200', 'gpu:a100']],
  ['capable, but the site does not say so', { perNode: 1, kinds: [], orAtLeast: { memory_bytes: 20 * GB, linkDomain: 100 } }, SITE, []],
  ['any', { perNode: 1, kinds: [] }, SITE, ['gpu', 'tpu']],
])('accelerators that will do: %s', (_, request, site, kinds) => {
  expect(acceptedKinds(request, { site, offered: OFFERED })).toEqual(kinds)
})

const node = (name: string, devices: readonly DeviceCount[], state: NodeSighting['state'] = 'idle'): NodeSighting => ({
  name,
  state,
  slots: 8,
  free: 8,
  ...(devices.length > 0 && { devices }),
})
const h100 = (free: number, total = 4): DeviceCount => ({ kind: 'gpu:h100', total, free })
const h200 = (free: number): DeviceCount => ({ kind: 'gpu:h200', total: 4, free })

/** What a run of two nodes does that has nothing yet. */
function firstAction(capacity: readonly NodeSighting[], request: DeviceRequest, over: Parameters<typeof actionFor>[0] = {}) {
  const devices = deviceNeeds(request, { site: SITE, capacity })
  const shape = { nodes: 2, processesPerNode: 1, smaller: [], devices: request }
  return actionFor({
    state: 'queued',
    attempts: [],
    allocations: [],
    agents: [],
    nodes: [],
    job: { state: 'absent' },
    capacity,
    shape,
    devices,
    ...over,
  })
}

const TWO: DeviceRequest = { perNode: 2, kinds: ['h100-sxm'] }
const waiting = { ...attempt, number: 1, state: 'submitted' as const, nodes: 2 }
const { members: _, placed: __, startedAt: ___, ...unplaced } = waiting

test.each([
  [
    'eight on nodes of four',
    [node('n1', [h100(4)]), node('n2', [h100(4)])],
    { perNode: 8, kinds: ['h100-sxm'] },
    'needs 8 gpu:h100 on each node, and no node has more than 4; plan for at most 4 per node',
  ],
  ['no accelerators at all', [node('n1', []), node('n2', [])], TWO, /no node offers accelerators that the cluster counts; configure them/],
  [
    'others than the plan names',
    [node('n1', [{ kind: 'gpu:l4', total: 4, free: 4 }])],
    { perNode: 2, kinds: ['b200'] },
    /needs 2 b200 on each node; nodes offer 4 gpu:l4: name one of these/,
  ],
  [
    'too few nodes that have them',
    [node('n1', [h100(4)]), node('n2', [h100(0)], 'down'), node('n3', [])],
    TWO,
    'needs 2 nodes with 1 slot and 2 gpu:h100 each, 1 in service: n2 is down',
  ],
])('waits and says what is missing: %s', (_name, capacity, request, why) => {
  expect(firstAction(capacity, request)).toMatchObject({
    do: 'watch',
    state: 'queued',
    why: typeof why === 'string' ? why : expect.stringMatching(why),
  })
})

test('an allocation names the accelerators that are free now, and the best where none are; a run does not mix them', () => {
  const either: DeviceRequest = { perNode: 2, kinds: ['h100-sxm', 'h200-sxm'] }
  const begun = { state: 'starting' as const, attempts: [unplaced] }
  const fleet = (h100s: number, h200s: number) => [
    node('n1', [h100(h100s)]),
    node('n2', [h100(h100s)]),
    node('n3', [h200(h200s)]),
    node('n4', [h200(h200s)]),
  ]
  expect(firstAction(fleet(4, 4), either)).toMatchObject({ do: 'begin', nodes: 2 })
  expect(firstAction(fleet(2, 4), either, begun)).toMatchObject({ do: 'allocate', nodes: 2, deviceKind: 'gpu:h100' })
  expect(firstAction(fleet(1, 4), either, begun)).toMatchObject({ do: 'allocate', deviceKind: 'gpu:h200' })
  expect(firstAction(fleet(1, 1), either, begun)).toMatchObject({ do: 'allocate', deviceKind: 'gpu:h100' })
  const held = allocation({ state: 'running', nodes: ['n3'], unresponsive: [] }, { nodes: 1, deviceKind: 'gpu:h200' })
  expect(firstAction(fleet(4, 4), either, { ...begun, allocations: [held] })).toMatchObject({
    do: 'allocate',
    nodes: 1,
    deviceKind: 'gpu:h200',
  })
})

test('a request that waits in the queue says which accelerators are taken', () => {
  const pending = { state: 'pending', reason: 'Resources', position: 2 } as const
  const asked = allocation(pending, { state: 'submitted', nodes: 2, deviceKind: 'gpu:h100' })
  const begun = { state: 'starting' as const, attempts: [unplaced], allocations: [asked], job: pending }
  const capacity = [node('n0', [h100(0)], 'drained'), node('n1', [h100(1)], 'busy'), node('n2', [h100(4)])]
  expect(firstAction(capacity, TWO, begun)).toMatchObject({
    do: 'watch',
    why: 'Resources: needs 2 nodes with 2 free gpu:h100 each, 1 have them now (n1 1 of 4 free, n0 drained); it starts when other jobs give theirs back; "ironlaw top" shows them, number 2 in the queue',
  })
})

test('a spare is asked for again only where a node has its accelerators free', () => {
  const shape = { nodes: 4, processesPerNode: 1, smaller: [], spares: 1, devices: TWO }
  const devices = { perNode: 2, kinds: ['gpu:h100'], name: 'h100-sxm' }
  const held = [allocation(undefined, { deviceKind: 'gpu:h100' })]
  const restockAction = (free: number) => actionFor({ shape, devices, allocations: held, capacity: [node('n5', [h100(free)])] })
  expect(restockAction(1)).toMatchObject({ do: 'watch', state: 'running' })
  expect(restockAction(2)).toMatchObject({ do: 'allocate', nodes: 1, deviceKind: 'gpu:h100' })
})

test.each<[DeviceRequest, string]>([
  [{ perNode: 4, kinds: ['h100-sxm', 'h200-sxm'] }, 'gpu:h200'],
  [{ perNode: 1, kinds: ['h100-sxm'] }, 'gpu:h100'],
  [{ perNode: 1, kinds: ['b200'] }, 'gpu:b200'],
  [{ perNode: 1, kinds: ['npu:x1'] }, 'npu:x1'],
  [{ perNode: 1, kinds: [] }, 'gpu'],
])('a job of one node is to have %j: %s', (request, kind) => {
  expect(singleNodeKind(request, SITE, [node('n1', [h100(1)]), node('n2', [h200(4)])])).toBe(kind)
})

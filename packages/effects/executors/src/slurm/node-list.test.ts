import { expect, test } from 'vitest'
import { nodesIn, usedResources } from './node-list.ts'

test.each([
  ['n1|idle|0/8/0/8|n1|(null)|none', { name: 'n1', state: 'idle', slots: 8, free: 8 }],
  ['n1|mixed|2/6/0/8|n1|(null)|none', { name: 'n1', state: 'busy', slots: 8, free: 6 }],
  ['n1|mixed-|2/6/0/8|n1|(null)|none', { name: 'n1', state: 'busy', slots: 8, free: 6 }],
  ['n1|mixed*|2/6/0/8|n1|(null)|none', { name: 'n1', state: 'unresponsive', slots: 8, free: 0 }],
  ['n1|draining|1/0/7/8|n1|(null)|ECC errors | again', { name: 'n1', state: 'drained', reason: 'ECC errors | again', slots: 8, free: 0 }],
  ['n1|drained*|0/0/8/8|n1|(null)|x', { name: 'n1', state: 'drained', reason: 'x', slots: 8, free: 0 }],
  ['n1|down*|0/0/8/8|n1|(null)|Not responding', { name: 'n1', state: 'down', reason: 'Not responding', slots: 8, free: 0 }],
  ['n1|maint|0/8/0/8|n1|(null)|none', { name: 'n1', state: 'down', slots: 8, free: 0 }],
  ['n1|idle|0/8/0/8|10.0.0.1|(null)|none', { name: 'n1', state: 'idle', slots: 8, free: 8, address: '10.0.0.1' }],
])('%s', (line, node) => {
  expect(nodesIn(`${line}\n${line}\n`)).toEqual([node])
})

test.each([
  ['gpu:h100:4', 'gpu:h100:1(IDX:2)', [{ kind: 'gpu:h100', total: 4, free: 3 }]],
  ['gpu:h100:4(S:0-1)', 'gpu:h100:3(IDX:0,2-3)', [{ kind: 'gpu:h100', total: 4, free: 1 }]],
  ['gpu:8', 'gpu:0(IDX:N/A)', [{ kind: 'gpu', total: 8, free: 8 }]],
  [
    'gpu:a100_80gb:2(S:0),gpu:h100:4,nic:1,shard:16',
    'gpu:a100_80gb:2(IDX:0-1),gpu:h100:0(IDX:N/A)',
    [
      { kind: 'gpu:a100_80gb', total: 2, free: 0 },
      { kind: 'gpu:h100', total: 4, free: 4 },
    ],
  ],
  ['(null)', '', undefined],
  ['gpu:h100:4x,,:3,gpu:', 'gpu', undefined],
])('generic resources %s, of which %s are taken', (gres, used, devices) => {
  const line = `n1|mixed|2/6/0/8|n1|${gres}|none`
  expect(nodesIn(line, usedResources(`n1   ${used}  \n`))[0]?.devices).toEqual(devices)
  expect(nodesIn(line.replace('mixed', 'drained'))[0]?.devices?.map(({ free }) => free)).toEqual(devices?.map(() => 0))
})

import { expect, test } from 'vitest'
import { nodesIn } from './node-list.ts'

test.each([
  ['n1|idle|0/8/0/8|n1|none', { name: 'n1', state: 'ready', slots: 8, freeSlots: 8 }],
  ['n1|mixed|2/6/0/8|n1|none', { name: 'n1', state: 'ready', slots: 8, freeSlots: 6 }],
  ['n1|mixed-|2/6/0/8|n1|none', { name: 'n1', state: 'ready', slots: 8, freeSlots: 6 }],
  ['n1|mixed*|2/6/0/8|n1|none', { name: 'n1', state: 'silent', slots: 8, freeSlots: 0 }],
  ['n1|draining|1/0/7/8|n1|ECC errors | again', { name: 'n1', state: 'drained', reason: 'ECC errors | again', slots: 8, freeSlots: 0 }],
  ['n1|drained*|0/0/8/8|n1|x', { name: 'n1', state: 'drained', reason: 'x', slots: 8, freeSlots: 0 }],
  ['n1|down*|0/0/8/8|n1|Not responding', { name: 'n1', state: 'down', reason: 'Not responding', slots: 8, freeSlots: 0 }],
  ['n1|maint|0/8/0/8|n1|none', { name: 'n1', state: 'down', slots: 8, freeSlots: 0 }],
  ['n1|idle|0/8/0/8|10.0.0.1|none', { name: 'n1', state: 'ready', slots: 8, freeSlots: 8, address: '10.0.0.1' }],
])('%s', (line, node) => {
  expect(nodesIn(`${line}\n${line}\n`)).toEqual([node])
})

import { expect, test } from 'vitest'
import { readLink } from './network-link.ts'

test.each([
  ['400 Gb/s', { count: 1, of: { bandwidth: 50e9 }, per: 'accelerator' }],
  ['100Gb/s per node', { count: 1, of: { bandwidth: 12.5e9 }, per: 'node' }],
  ['8 x 400 Gb/s per node', { count: 8, of: { bandwidth: 50e9 }, per: 'node' }],
  ['2 × 200Gbps per GPU', { count: 2, of: { bandwidth: 25e9 }, per: 'accelerator' }],
  ['ethernet-100', { count: 1, of: { id: 'ethernet-100' }, per: 'accelerator' }],
  ['1 x ethernet-100 per node', { count: 1, of: { id: 'ethernet-100' }, per: 'node' }],
  ['100gbe per host', { count: 1, of: { id: '100gbe' }, per: 'node' }],
])('%s', (text, link) => {
  expect(readLink(text)).toEqual({ ok: true, value: link })
})

test.each([
  ['100GB', '"GB" is not a unit of bandwidth; write for example "400 Gb/s" (per accelerator), "100 Gb/s per node"'],
  ['100', '"100" has no unit'],
  ['8 x 400 Gb/s', 'for each accelerator or each node? Write "8 x 400 Gb/s per node"'],
  ['0 x 400 Gb/s per node', 'has no link'],
  ['0 Gb/s', 'more than zero'],
  ['', 'does not start with a number'],
  ['100 Gb/s per rack', 'is not a unit of bandwidth'],
])('"%s" is refused', (text, reason) => {
  expect(readLink(text)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
})

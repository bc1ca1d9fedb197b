import { builtInCatalog } from '@ironlaw/catalog'
import { expect, test } from 'vitest'
import { nodeShape } from './node-shape.ts'

test.each([
  ['h100-sxm', undefined, { node: 'dgx-h100', perNode: 8, perHost: 8, portBandwidth: 50e9 }],
  ['a100-80gb-sxm', undefined, { node: 'dgx-a100', perNode: 8, portBandwidth: 25e9 }],
  ['gb200', undefined, { node: 'gb200-nvl72', perNode: 64, perHost: 4, portBandwidth: 50e9 }],
  ['l4', undefined, { node: 'aws-g6-48xlarge', perNode: 8 }],
  ['a100-80gb-sxm', 'aws-p4de-24xlarge', { node: 'aws-p4de-24xlarge', perNode: 8, portBandwidth: 6.25e9 }],
])('%s in %s', (accelerator, named, want) => {
  expect(nodeShape(builtInCatalog, accelerator, named)).toMatchObject(want)
})

test('an accelerator that stands in no node has no shape', () => {
  expect(nodeShape(builtInCatalog, 'rtx-5090')).toBeUndefined()
})

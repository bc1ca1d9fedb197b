import { fc, test as property } from '@fast-check/vitest'
import { accelerator, builtInCatalog } from '@ironlaw/catalog'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { expect, test } from 'vitest'
import { networkOf, networkText } from './network.ts'

function networkLine(fleet: { readonly accelerator: string; readonly count: number; readonly [field: string]: unknown }): string {
  const spec = parseTrainSpec(
    { apiVersion: 'ironlaw/v1', kind: 'Train', name: 'net', model: 'gpt2', tokens: '1B', sequence: '1k', globalBatch: 64, fleet },
    'train.yaml',
  )
  const device = accelerator(builtInCatalog, fleet.accelerator)
  return networkText(builtInCatalog, { accelerator: device.id, devices: fleet.count, network: networkOf(builtInCatalog, spec, device) })
}

const A100 = { accelerator: 'a100', count: 64 }

test.each([
  [A100, '8 nodes x 8 a100-80gb-sxm, NVLink 3 inside, 200 Gb/s per accelerator between nodes (assumed from the NVIDIA DGX A100 640GB)'],
  [{ ...A100, link: '100 Gb/s' }, '8 nodes x 8 a100-80gb-sxm, NVLink 3 inside, 100 Gb/s per accelerator between nodes (given)'],
  [{ ...A100, link: '100 Gb/s per node' }, '8 nodes x 8 a100-80gb-sxm, NVLink 3 inside, 12.5 Gb/s per accelerator between nodes (given)'],
  [{ ...A100, link: 'ethernet-100' }, '8 nodes x 8 a100-80gb-sxm, NVLink 3 inside, 100 Gb/s per accelerator between nodes (given)'],
  [{ ...A100, link: '1 x 100gbe per node' }, '8 nodes x 8 a100-80gb-sxm, NVLink 3 inside, 12.5 Gb/s per accelerator between nodes (given)'],
  [{ ...A100, node: 'aws-p4de-24xlarge' }, '8 nodes x 8 a100-80gb-sxm, NVLink 3 inside, 50 Gb/s per accelerator between nodes (given)'],
  [
    { ...A100, perNode: 4, link: '1 x 100 Gb/s per node' },
    '16 nodes x 4 a100-80gb-sxm, NVLink 3 inside, 25 Gb/s per accelerator between nodes (given)',
  ],
  [{ ...A100, count: 8 }, '1 node x 8 a100-80gb-sxm, NVLink 3 inside (assumed from the NVIDIA DGX A100 640GB)'],
  [{ ...A100, count: 4 }, '1 node x 4 a100-80gb-sxm, NVLink 3 inside (assumed from the NVIDIA DGX A100 640GB)'],
  [
    { accelerator: 'gb200', count: 128, link: '4 x 400 Gb/s per node' },
    '32 nodes x 4 gb200, NVLink 5 joins 64, 400 Gb/s per accelerator between nodes (given)',
  ],
  [
    { accelerator: 'rtx-5090', count: 16 },
    '2 nodes x 8 rtx-5090, PCI Express 5.0 x16 inside, 3.125 Gb/s per accelerator between nodes (assumed: no node of the catalog has this accelerator)',
  ],
])('%j', (fleet, text) => {
  expect(networkLine(fleet)).toBe(text)
})

test.each([
  [{ ...A100, link: 'nvlink-3' }, 'fleet.link: NVLink 3 joins accelerators inside a node; between nodes the catalog has efa-100'],
  [{ ...A100, link: 'ethernet-101' }, 'the catalog has no link "ethernet-101"'],
  [{ ...A100, node: 'dgx-h100' }, 'fleet.node: dgx-h100 holds h100-sxm, not a100-80gb-sxm'],
])('%j is refused', (fleet, problem) => {
  expect(() => networkLine(fleet)).toThrow(problem)
})

property.prop([fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 16 })])(
  'what a node has is shared by its accelerators, whatever the number of links',
  (links, gigabits, perNode) => {
    const of = (link: string): string => networkLine({ accelerator: 'a100', count: 64 * perNode, perNode, link })
    expect(of(`${links} x ${gigabits} Gb/s per node`)).toBe(of(`${(links * gigabits) / perNode} Gb/s`))
  },
)

test('cards of workstations share one port of 25 Gb/s', () => {
  expect(networkLine({ accelerator: 'rtx-4090', count: 16 })).toContain('3.125 Gb/s per accelerator between nodes')
})

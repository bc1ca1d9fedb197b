import { expect, test } from 'vitest'
import { deployRefusal } from './deploy-refusal.ts'
import { sampleServingPlan } from './sample-plan.ts'
import { SERVING_PLAN } from './serving-plan.ts'

const layout = { tensor: 8, pipeline: 2, data: 1, expert: 1 }

test.each([
  ['one pool whose replicas fit onto a node', [{ role: 'all', replicas: 2, layout, devicesPerReplica: 8 }], undefined],
  ['replicas over two nodes', [{ role: 'all', replicas: 2, layout, devicesPerReplica: 16 }], 'a replica has 16 devices, a node 8'],
  [
    'pools for prompts and decoding',
    [
      { role: 'prefill', replicas: 1, layout, devicesPerReplica: 8 },
      { role: 'decode', replicas: 2, layout, devicesPerReplica: 8 },
    ],
    'it has replicas of their own (1 for prefill and 2 for decode)',
  ],
] as const)('%s', (_, pools, reason) => {
  const refused = deployRefusal(sampleServingPlan({ pools }))?.reason
  if (reason === undefined) expect(refused).toBeUndefined()
  else expect(refused).toContain(reason)
})

test('a plan that speculates without layers for it is read', () => {
  const plan = sampleServingPlan({ model: { name: 'm', predictionLayers: 0 }, speculation: { method: 'mtp', drafted: 2, acceptance: 0.5 } })
  expect(SERVING_PLAN.parse(plan)).toEqual(plan)
})

import { builtInCatalog } from '@ironlaw/catalog'
import { reliabilityForecast } from '@ironlaw/simulator'
import { expect, test } from 'vitest'
import { stateOf } from '../address.ts'
import { failureDerivations } from './failure-derivations.ts'
import { planAnswer } from './plan-answer.ts'
import { TRAINING } from './question.ts'

test.each([
  ['published failures', {}],
  ['failures that the spec states', { perNodeDay: 0.02, restart: 'in-process' }],
] as const)('what is derived is what the page shows, for %s', (_name, stated) => {
  const { why: _, export: __, ...question } = stateOf(TRAINING, new URLSearchParams('devices=1024'))
  const plan = planAnswer(builtInCatalog, question).details?.plan
  if (!plan) throw new Error('the question of the page has a plan')
  const half = reliabilityForecast(builtInCatalog, plan, { ...stated, replicas: 20 })
  const why = failureDerivations(builtInCatalog, plan, { half, stated })
  expect(why['time between failures']?.value).toBeCloseTo(half.mtbf_s, 6)
  expect(why['checkpoint interval']?.value).toBeCloseTo(half.checkpoint.interval_s, 6)
  expect(why['end with failures']?.value).toBe(half.range.median_s)
  expect(why['spare nodes']?.value).toBe(Math.ceil(half.nodesInRepair + 3.09 * Math.sqrt(half.nodesInRepair)))
  expect(Object.keys(why).toSorted()).toEqual([
    'checkpoint interval',
    'end with failures',
    'goodput',
    'lost money',
    'spare nodes',
    'time between failures',
  ])
})

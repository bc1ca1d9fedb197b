import { expect, test } from 'vitest'
import { comparedAutoscalers } from './compare.ts'
import { drawnHours, type Hour } from './hours.ts'

const SEEDS = [11, 12, 13, 14]

const hours = (name: string): readonly Hour[] => SEEDS.flatMap((seed) => drawnHours(seed).filter((hour) => hour.name === name))

/** Over all of them: the mean share within the objective, and the replica-seconds. */
function summedOutcomes(each: readonly Hour[]) {
  const of = new Map<string, { attained: number; replica_s: number }>()
  for (const hour of each)
    for (const { autoscaler, attained, replica_s } of comparedAutoscalers(hour)) {
      const sum = of.get(autoscaler) ?? { attained: 0, replica_s: 0 }
      of.set(autoscaler, { attained: sum.attained + attained / each.length, replica_s: sum.replica_s + replica_s })
    }
  const [ours, usual, tight] = [of.get('ours'), of.get('HPA, 70 %, 30 s'), of.get('HPA, 90 %, 60 s')]
  if (!ours || !usual || !tight) throw new Error('an autoscaler is missing')
  return { ours, usual, tight }
}

test('in bursts it does as the Kubernetes autoscaler does with the better of its settings, and much better than with the tight one', () => {
  const { ours, usual, tight } = summedOutcomes(hours('bursts'))
  expect(ours.attained).toBeGreaterThan(0.9)
  expect(ours.attained).toBeGreaterThan(usual.attained - 0.02)
  expect(ours.attained).toBeGreaterThan(tight.attained + 0.1)
  expect(ours.replica_s).toBeLessThan(1.1 * usual.replica_s)
})

for (const name of ['steady', 'rise and fall'])
  test(`${name}: as much is answered in time, for less`, () => {
    const { ours, usual } = summedOutcomes(hours(name))
    expect(ours.attained).toBeGreaterThan(usual.attained - 0.005)
    expect(ours.replica_s).toBeLessThan(usual.replica_s)
  })

import { expect, test } from 'vitest'
import { hoursOf } from './day.ts'

const DAY = { peak_requests_per_s: 20, replica_requests_per_s: 5, spare: 1, night: 0.25 }

test('the peak hour needs what the plan needs, the quietest a share of it', () => {
  const hours = hoursOf(DAY)
  expect(hours[16]).toEqual({ hour: 16, requests_per_s: 20, replicas: 5 })
  expect(hours[4]).toEqual({ hour: 4, requests_per_s: 5, replicas: 2 })
})

test('a flat day needs the peak all day', () => {
  expect(new Set(hoursOf({ ...DAY, night: 1 }).map(({ replicas }) => replicas))).toEqual(new Set([5]))
})

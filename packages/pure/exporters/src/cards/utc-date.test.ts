import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { utcDate, utcTime } from './utc-date.ts'

const LAST_S = Date.UTC(9999, 11, 31) / 1000

property.prop([fc.integer({ min: 0, max: LAST_S })])('is what the calendar of the platform says', (at) => {
  const said = new Date(at * 1000).toISOString()
  expect(utcDate(at)).toBe(said.slice(0, 10))
  expect(utcTime(at)).toBe(said.replace('.000', ''))
})

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300])('%s is no date', (at) => {
  expect(utcDate(at)).toBeUndefined()
  expect(utcTime(at)).toBeUndefined()
})

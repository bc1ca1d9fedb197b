import { expect, test } from 'vitest'
import { studentQuantile, studentShareBelow } from './student.ts'

// Reference values: Abramowitz and Stegun, table 26.10.
test.each([
  [0.95, 1, 6.314],
  [0.95, 2, 2.92],
  [0.95, 4, 2.132],
  [0.95, 5, 2.015],
  [0.975, 10, 2.228],
  [0.05, 3, -2.353],
])('the %d quantile with %d degrees of freedom', (share, freedom, want) => {
  expect(studentQuantile(share, freedom)).toBeCloseTo(want, 3)
  expect(studentShareBelow(studentQuantile(share, freedom), freedom)).toBeCloseTo(share, 9)
})

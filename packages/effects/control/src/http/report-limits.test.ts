import { expect, test } from 'vitest'
import { OverLimit } from './rate-limit.ts'
import { reportLimits } from './report-limits.ts'

test('steps of one run are taken at a thousand a second once its allowance is used up; other runs go on', () => {
  let now = 0
  const limits = reportLimits(() => now)
  for (let sent = 0; sent < 10; sent += 1) limits.mustAllow('poison', 10_000)
  expect(() => limits.mustAllow('poison', 10_000)).toThrow(OverLimit)
  expect(() => limits.mustAllow('poison', 10_000)).toThrow('too many steps of one run: at most 1000 a second')
  limits.mustAllow('other', 10_000)
  now = 10
  limits.mustAllow('poison', 10_000)
  // Exits and beats come without steps, and are taken all the while.
  limits.mustAllow('poison', 0)
})

test('a run that sends thousands of reports at once is asked to wait', () => {
  const limits = reportLimits(() => 0)
  for (let sent = 0; sent < 2000; sent += 1) limits.mustAllow('poison', 0)
  expect(() => limits.mustAllow('poison', 0)).toThrow('too many reports of one run: at most 50 a second')
})

test('announcements of one run are bounded, and leave its reports alone', () => {
  const limits = reportLimits(() => 0)
  for (let sent = 0; sent < 10_000; sent += 1) limits.mustAllowAnnouncement('r')
  expect(() => limits.mustAllowAnnouncement('r')).toThrow('announcements of one run')
  expect(() => limits.mustAllowAnnouncement('s')).not.toThrow()
  expect(() => limits.mustAllow('r', 1)).not.toThrow()
})

import { expect, test } from 'vitest'
import { TIME_CAUSES } from './time-cause.ts'
import { STEP_CAUSE_INFO, STEP_CAUSES, WORK_CLASSES } from './step-cause.ts'

test('every cause of a step says where it belongs, and no two are called alike', () => {
  const words = STEP_CAUSES.map((cause) => STEP_CAUSE_INFO[cause].words)
  expect(new Set(words).size).toBe(STEP_CAUSES.length)
  for (const cause of STEP_CAUSES) {
    expect(TIME_CAUSES).toContain(STEP_CAUSE_INFO[cause].ledger)
    expect(WORK_CLASSES).toContain(STEP_CAUSE_INFO[cause].workClass)
  }
})

test('an exchange is measured as communication or inside the optimizer, never as a bubble', () => {
  const exchanges = STEP_CAUSES.filter((cause) => STEP_CAUSE_INFO[cause].nature === 'exchange')
  expect(exchanges).toEqual(['tensor', 'context', 'expert', 'send', 'data', 'offload'])
  for (const cause of exchanges) expect(['exposed communication', 'compute']).toContain(STEP_CAUSE_INFO[cause].ledger)
})

import { expect, test } from 'vitest'
import { sampleServingPlan } from './sample-plan.ts'
import { servingPlanId } from './plan-id.ts'
import { SERVING_PLAN } from './serving-plan.ts'

const PLAN = sampleServingPlan()

test('a plan is named by its content, whatever id it carries', () => {
  const id = servingPlanId(PLAN)
  expect(id).toMatch(/^serve-[0-9a-f]{12}$/)
  expect(servingPlanId({ ...PLAN, id })).toBe(id)
  expect(servingPlanId({ ...PLAN, devices: 12 })).not.toBe(id)
})

test('a plan that a planner made is read as it is', () => {
  expect(SERVING_PLAN.parse(PLAN)).toEqual(PLAN)
})

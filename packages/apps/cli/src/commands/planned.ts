// One command plans both kinds of spec; the planner of the other kind is not loaded.

import type { Answer } from '../answer.ts'
import { specKind } from '../spec-kind.ts'
import type { PlanFlags } from './plan.ts'

export async function plannedAnswer(file: string | undefined, flags: PlanFlags): Promise<Answer> {
  if (file !== undefined && specKind(file) === 'Serve') {
    const { planServingAnswer } = await import('./plan-serving.ts')
    return planServingAnswer(file, flags)
  }
  const { planAnswer } = await import('./plan.ts')
  return planAnswer(file, flags)
}

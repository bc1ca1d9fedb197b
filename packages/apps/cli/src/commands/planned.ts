// One command plans both kinds of spec; the planner of the other kind is not loaded.

import type { Answer } from '../answer.ts'
import { readDocument } from '../input-file.ts'
import type { PlanFlags } from './plan.ts'

export async function plannedAnswer(file: string | undefined, flags: PlanFlags): Promise<Answer> {
  if (file !== undefined && isServeSpec(readDocument(file))) {
    const { planServingAnswer } = await import('./plan-serving.ts')
    return planServingAnswer(file, flags)
  }
  const { planAnswer } = await import('./plan.ts')
  return planAnswer(file, flags)
}

const isServeSpec = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'Serve'

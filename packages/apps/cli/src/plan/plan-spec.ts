// One command plans both kinds of spec; it loads only the planner of the given kind.

import { IronlawError } from '@ironlaw/contracts'
import type { CommandAnswer } from '../answer.ts'
import { specKind } from './spec-kind.ts'
import type { PlanFlags } from './plan.ts'

export async function planSpecAnswer(file: string | undefined, flags: PlanFlags): Promise<CommandAnswer> {
  const kind = file === undefined ? 'Train' : specKind(file)
  if (kind === 'Job')
    throw new IronlawError(
      'IL_USAGE',
      { problem: `${file} is a job; only training and serving specs can be planned`, command: 'plan' },
      { next: `run it with "ironlaw apply ${file}"` },
    )
  if (file !== undefined && kind === 'Serve') {
    const { planServingAnswer } = await import('./plan-serving.ts')
    return planServingAnswer(file, flags)
  }
  if (file !== undefined && kind === 'Data') {
    const { planDatasetAnswer } = await import('../data/plan.ts')
    return await planDatasetAnswer(file, flags.explain ? { explain: true } : {})
  }
  if (file !== undefined && kind === 'Evaluate') {
    const { planEvaluationAnswer } = await import('../evaluate/plan.ts')
    return await planEvaluationAnswer(file, { probe: true, measure: '20', project: 'default' })
  }
  if (file !== undefined && kind === 'Sweep') {
    const { planSweepAnswer } = await import('../sweep/plan-sweep.ts')
    return await planSweepAnswer(file, flags)
  }
  if (file !== undefined && kind === 'RL') {
    const { planRlAnswer } = await import('./plan-rl.ts')
    return planRlAnswer(file, flags)
  }
  const { planTrainingAnswer } = await import('./plan.ts')
  return planTrainingAnswer(file, flags)
}

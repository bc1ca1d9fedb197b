import type { StepView } from '@ironlaw/contracts/api'
import type { AnswerOf } from '@ironlaw/contracts/api-client'
import { api } from '../api/api-client.ts'
import type { Context } from '../context/context.ts'

/** All steps of a run in the order they were taken. */
export async function fetchSteps(to: Context, id: string): Promise<readonly StepView[]> {
  const found: StepView[] = []
  for (let after: string | undefined; ;) {
    const { items, next }: AnswerOf<'listSteps'> = await api(to).listSteps({
      id,
      query: { limit: 1000, ...(after !== undefined && { after }) },
    })
    found.push(...items)
    if (next === null) break
    after = next
  }
  return found
}

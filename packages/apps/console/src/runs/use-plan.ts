// A plan that the control plane has kept.

import type { Plan } from '@ironlaw/contracts/run-plan'
import type { ApiResult } from './api.ts'
import { useResource } from './use-live.ts'

/** Of the kind that the caller knows from where it found the id; the control plane checked it when it was stored. */
export function usePlan<Stored extends Plan>(id: string | undefined, burst: number): ApiResult<Stored> | undefined {
  const answer = useResource('getPlan', { id: id ?? 'none' }, burst)
  return answer?.ok ? { ok: true, value: answer.value.body as Stored } : answer
}

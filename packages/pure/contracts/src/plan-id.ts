// Plans are named by their content.

import { canonicalJson, type Json } from './canonical-json.ts'
import { sha256 } from './sha256.ts'

const ID_DIGITS = 12

/**
 * The content address of a training plan, or of anything else a run executes. Ignores `plan.id`, so the two differ if the plan was altered.
 */
export function planId(plan: { readonly [field: string]: Json | undefined }): string {
  return `plan-${sha256(canonicalJson({ ...plan, id: undefined })).slice(0, ID_DIGITS)}`
}

/** The content address of a serving plan; an id already in it does not count. */
export const servingPlanId = (plan: { readonly [field: string]: Json | undefined }): string => planId(plan).replace(/^plan-/, 'serve-')

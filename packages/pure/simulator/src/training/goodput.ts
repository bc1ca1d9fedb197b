// Useful work over what was paid for, as three factors: having the machines, using them for progress that lasts, and computing at their
// peak while doing so.

import type { CampaignOutcome } from './simulate.ts'

export type Goodput = { readonly scheduling: number; readonly runtime: number; readonly program: number; readonly whole: number }

/** `program` is what the plan predicts of the peak (MFU) while training runs undisturbed. */
export function goodputOf({ shares }: Pick<CampaignOutcome, 'shares'>, program: number): Goodput {
  const scheduling = 1 - shares.allocation - shares.recovery
  const runtime = scheduling === 0 ? 0 : shares.useful / scheduling
  return { scheduling, runtime, program, whole: scheduling * runtime * program }
}

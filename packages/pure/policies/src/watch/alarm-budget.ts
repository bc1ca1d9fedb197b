// What a watch may cost in false alarms, divided among all that it looks at.

import type { Shift } from './detect-shift.ts'
import type { StreamModel } from './stream-model.ts'

export type AlarmBudget = {
  readonly alarms: number
  /** In which so many false ones are bearable. */
  readonly hours: number
}

/** Up and down are two chances of each stream, every hour. Sums exceed it less often than the budget allows, whatever else the streams have in common. */
export const alarmLimit = ({ alarms, hours }: AlarmBudget, streams: number): number => Math.log((2 * streams * hours) / alarms)

/** Of what matters: what a watch leaves alone on purpose, so that a season it never saw is no alarm. */
const IGNORED_SHARE = 1 / 3
/** Standard errors of the reference's level that are taken for no shift. */
const ERRORS_IGNORED = 2.5
/** Beyond this share of what matters, the shift that matters and the error of the reference cannot be told apart in useful time. */
const MOST_IGNORED_SHARE = 0.6

export type ShiftDesign =
  | { readonly kind: 'watched'; readonly shift: Shift }
  /** The reference is too short to say the level of this stream; `needed` is how many times as long it would have to be. */
  | { readonly kind: 'reference-too-short'; readonly needed: number }

type ShiftRequest = { readonly matters: number; readonly lasting: number; readonly limit: number }

export function designShift({ error }: StreamModel, { matters, lasting, limit }: ShiftRequest): ShiftDesign {
  const uncertain = ERRORS_IGNORED * error
  if (uncertain > MOST_IGNORED_SHARE * matters)
    return { kind: 'reference-too-short', needed: (uncertain / (MOST_IGNORED_SHARE * matters)) ** 2 }
  return { kind: 'watched', shift: { matters, lasting, limit, ignored: Math.max(uncertain, IGNORED_SHARE * matters) } }
}

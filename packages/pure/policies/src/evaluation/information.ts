// What items tell about a difference: one over the variance of its mean.

import { normalQuantile } from '@ironlaw/laws/normal'
import type { GateRule } from './judge-difference.ts'
import type { PairedDifference } from './paired-scores.ts'

/** Information at which a comparison meets both risks. */
export const fixedInformation = ({ margin, risk }: GateRule): number =>
  ((normalQuantile(1 - risk.falseBlock) + normalQuantile(1 - risk.miss)) / margin) ** 2

/** Items over the variance of a difference, with one more item supposed to differ than did: early luck is not taken for certainty. */
export const informationOf = ({ items, variance }: PairedDifference): number => items / (variance + 1 / Math.max(1, items))

// The precision of an address, which anybody can edit.

import { IronlawError } from '@ironlaw/contracts'
import { POLICIES, type PolicyName } from '@ironlaw/planner'

const isKnown = (name: string): name is PolicyName => Object.hasOwn(POLICIES, name)

export function knownPrecision(precision: string): PolicyName {
  if (isKnown(precision)) return precision
  throw new IronlawError('IL_CONFIG', {
    file: 'the address',
    field: 'precision',
    problem: `"${precision}" is unknown; known are ${Object.keys(POLICIES).join(', ')}`,
  })
}

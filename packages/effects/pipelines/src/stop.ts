// A contract that a source breaks stops the pipeline: every worker, with one message.

import { IronlawError } from '@ironlaw/contracts'
import type { Violation } from './steps/contract.ts'
import type { Unit } from './unit.ts'

export class ContractBroken extends Error {
  readonly unit: Unit
  readonly violation: Violation & { readonly record: number }
  constructor(unit: Unit, violation: Violation & { readonly record: number }) {
    super(violation.problem)
    this.unit = unit
    this.violation = violation
  }
}

/** What workers leave in their directory when they stop. */
export type Stopped = { readonly problem: string; readonly next: string }

/** @param record counted from one over the file */
export const brokenRecord = (file: string, record: number, { rule, problem }: Violation): Stopped => ({
  problem: `${file}: record ${record}: ${problem} (rule ${rule})`,
  next: 'correct the source, or state under "expect.violations" which share of records may be set aside',
})

export const brokenSource = (source: string, problem: string): Stopped => ({
  problem: `source ${source}: ${problem}`,
  next: 'look at the source before anything is made of it, or change the contract under "expect"',
})

export const stopError = ({ problem, next }: Stopped): IronlawError => new IronlawError('IL_VIOLATED', { problem, next })

// Peak figures of an accelerator. A peak is dense unless the caller asks for sparse by name.

import type { Known } from '@ironlaw/units'
import type { Catalog } from './catalog.ts'
import type { Entry } from './entry.ts'
import { PRECISIONS, type Precision } from './kinds.ts'
import { entry } from './lookup.ts'

/** Power of hosts, network and storage, per watt of the accelerators: an estimate. */
export const HOST_POWER = 0.3

export type Accelerator = Entry<'accelerators'>
export type Sparsity = 'dense' | 'sparse'

export const accelerator = (catalog: Catalog, name: string): Accelerator => entry(catalog, 'accelerators', name)

/** Undefined where the hardware has no such arithmetic, or its maker publishes no such figure. */
export const peak = (of: Accelerator, precision: Precision, sparsity: Sparsity = 'dense'): Known<'FLOP/s'> | undefined =>
  of.facts.peaks[precision]?.[sparsity]

/** The memory a program can count on: the total of the driver where it is known, otherwise the capacity as sold. */
export function usableMemory({ facts, changes }: Accelerator): Known<'B'> {
  // An override of the capacity alone describes a different part, so the known driver total does not apply to it.
  const restated = changes.has('memory.capacity') && !changes.has('memory.usable')
  return restated ? facts.memory.capacity : (facts.memory.usable ?? facts.memory.capacity)
}

export const precisions = (of: Accelerator): readonly Precision[] =>
  PRECISIONS.filter((precision) => of.facts.peaks[precision] !== undefined)

/** The precision models are usually trained and compared in; where it is missing, the next a device has. */
const USUAL = ['bf16', 'fp16', 'int8', 'fp32'] as const satisfies readonly Precision[]

export function usualPeak(of: Accelerator): { readonly precision: Precision; readonly peak: Known<'FLOP/s'> } | undefined {
  const precision = USUAL.find((candidate) => peak(of, candidate) !== undefined)
  const known = precision && peak(of, precision)
  return precision && known ? { precision, peak: known } : undefined
}

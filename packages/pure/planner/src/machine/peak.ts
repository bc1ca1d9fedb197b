// What a device could do at most in the arithmetic of a policy; in bf16 or fp16 where no peak of that arithmetic is published.

import { type Accelerator, peak } from '@ironlaw/catalog'
import type { Known } from '@ironlaw/units'
import type { PrecisionPolicy } from '../training/memory/precision.ts'

export const peakOf = (device: Accelerator, { compute }: PrecisionPolicy): Known<'FLOP/s'> | undefined =>
  peak(device, compute) ?? peak(device, 'bf16') ?? peak(device, 'fp16')

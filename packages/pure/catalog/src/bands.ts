// What is plausible, by kind of device. Each band is what shipped hardware spans, widened by about two on both
// sides: a unit slip (Gb for GB, sparse for dense on both lines, W for kW) falls outside, a new product does not.

import type { Facts } from './kinds.ts'

type AcceleratorKind = Facts<'accelerators'>['kind']
export type Band = readonly [least: number, most: number]
type Bands = {
  /** FLOP per byte at which the usual peak and the memory balance. */
  readonly ridge: Band
  /** FLOP/s per watt of the usual peak. */
  readonly efficiency: Band
  /** Seconds to read the whole memory once. */
  readonly sweep: Band
}

const DATACENTRE: Bands = { ridge: [25, 1000], efficiency: [1e11, 6e12], sweep: [5e-3, 0.2] }

export const BANDS: Readonly<Record<AcceleratorKind, Bands>> = {
  gpu: DATACENTRE,
  tpu: DATACENTRE,
  npu: DATACENTRE,
  cpu: { ridge: [5, 1500], efficiency: [1e10, 2e12], sweep: [0.1, 20] },
  mcu: { ridge: [0.1, 20], efficiency: [1e8, 1e12], sweep: [1e-5, 0.1] },
  edge: { ridge: [50, 20_000], efficiency: [1e11, 1e13], sweep: [0.05, 5] },
}

/** Structured sparsity skips what the pattern allows; a little more is rounding on a datasheet. */
export const MOST_SPARSE = { '2:4': 2.1, '4:16': 4.2 } as const

/** Usable memory over capacity: 1.074 where the GB of the vendor is binary, below one by what the driver keeps. */
export const USABLE: Band = [0.9, 1.08]

/** Dollars for an hour of one PFLOP/s of usual peak, spot prices included. */
export const PFLOP_HOUR: Band = [0.2, 80]

/** The least and the most a data centre can draw for a watt of computing. */
export const PUE: Band = [1, 2.5]

/** Grams of CO2e per joule; 1,300 g/kWh is the worst coal plant. */
export const CARBON: Band = [0, 1300 / 3.6e6]

export const isWithin = (value: number, [least, most]: Band): boolean => value >= least && value <= most

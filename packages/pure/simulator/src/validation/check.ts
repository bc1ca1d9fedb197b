// One published figure compared with the simulated one.

import type { AssumedFigure } from '../reliability/assumed.ts'
import type { PublishedFigure } from './published.ts'

export type Check = {
  readonly id: string
  readonly campaign: string
  readonly figure: string
  readonly unit: string
  readonly test: 'prediction' | 'consistency'
  readonly published: number
  readonly bound?: PublishedFigure['bound']
  /** The median of the replicas. */
  readonly predicted: number
  /** Nine in ten replicas lie within; absent where a closed form answers. */
  readonly low?: number
  readonly high?: number
  /** Whether the published figure lies in the interval, or its bound reaches into it. */
  readonly inside?: boolean
  readonly inputs: readonly AssumedFigure[]
  readonly note?: string
  readonly source: string
}

// The time of a step, split by cause.

import type { StepCause } from '@ironlaw/contracts'

/** Causes that hold a link while they last. */
export const EXCHANGE_CAUSES = ['tensor', 'context', 'expert', 'send', 'data'] as const

export type ExchangeCause = (typeof EXCHANGE_CAUSES)[number]

export type StepTime = {
  readonly total: number
  readonly causes: Readonly<Record<StepCause, number>>
  /** What of exchanges the device's work hides. */
  readonly hidden: Readonly<Record<ExchangeCause, number>>
  /** Of the causes, what waits because exchanges that would each be hidden share a link. */
  readonly contention?: Readonly<Partial<Record<ExchangeCause, number>>>
}

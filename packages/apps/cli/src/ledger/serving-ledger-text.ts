// Where the time of requests went, as text.

import type { ServingLedger } from '@ironlaw/policies/serving'
import { seconds, show, showPercent } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

const BAR = 40

export const showTime = (value: number): string => (value === 0 ? '0' : show(seconds(value), 's'))

/** Drawn like the ledger of a run: each bar starts where the one before ended. */
export function servingLedgerText({ requests, wall_s, causes, gap }: ServingLedger): string {
  let before = 0
  const rows = causes.flatMap(({ cause, measured_s, share, predicted_s }) => {
    if (measured_s === 0 && predicted_s === 0) return []
    const begin = Math.round(BAR * before)
    before += share
    const bar = ' '.repeat(begin) + paint('cyan', '█'.repeat(Math.max(0, Math.round(BAR * before) - begin)))
    return [[cause, showTime(measured_s), showPercent(share), showTime(predicted_s), bar]]
  })
  const beyond = gap.seconds > 0 ? 'more' : 'less'
  return [
    table(['where the time went', 'measured', 'share', 'predicted', ''], rows, [1, 2, 3]),
    `${requests} requests waited ${showTime(wall_s)} in all; largest gap: ${paint('bold', gap.cause)}, ${showTime(Math.abs(gap.seconds))} ${beyond} than predicted`,
  ].join('\n')
}

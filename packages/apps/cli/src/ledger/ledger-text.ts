// A ledger as text. Accelerator-seconds are shown as time of the whole run, so that the column adds up to the wall clock.

import type { Deviation, Ledger, Recovery } from '@ironlaw/contracts/ledger'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { gapLine, goodputLines, spentColumns, waterfall } from './ledger-parts.ts'
import { showDuration, stateText } from '../run/run-text.ts'

export function ledgerText(ledger: Ledger): string {
  const { run, state, wall_s, accelerators, steps, recoveries, causes } = ledger
  const time = (accelerator_s: number): string => showDuration(accelerator_s / accelerators)
  const isPlain = ledger.goodput.runtime === undefined
  const isPlanned = causes.some(({ predicted_accelerator_s }) => predicted_accelerator_s !== undefined)
  const holds = `${accelerators} ${isPlanned ? 'accelerators' : 'processes'}`
  const spent = spentColumns(ledger).map(({ text }) => `, ${text(ledger)}`)
  return [
    ...deviationLines(ledger.deviations ?? []),
    `${paint('bold', run)}  ${stateText(state)}: ${showDuration(wall_s)} on ${holds}, ${isPlain ? 'no steps reported' : `${steps} steps that count`}${spent.join('')}`,
    ...goodputLines(ledger.goodput),
    '',
    waterfall({ causes, total: ledger, time }),
    ...(isPlain && !ledger.gap ? [] : ['', gapLine(ledger, time)]),
    ...(recoveries.length === 0 ? [] : ['', recoveriesTable(recoveries)]),
    ...(state === 'succeeded' && steps > 0 && isPlanned ? ['', paint('dim', `learn from it: ironlaw calibrate --from ${run}`)] : []),
  ].join('\n')
}

/** Shown first: the prediction does not describe this run. */
function deviationLines(deviations: readonly Deviation[]): readonly string[] {
  if (deviations.length === 0) return []
  return [
    paint('yellow', 'the program does not run what was planned, so the prediction is for a different run'),
    ...deviations.map(({ field, planned, running }) => `  ${field}: planned ${planned}, running ${running}`),
    '',
  ]
}

/** From each moment to the next one known. */
function recoveriesTable(recoveries: readonly Recovery[]): string {
  return table(
    ['ATTEMPT', 'ENDED BY', 'LOST STEPS', 'DETECTED', 'RESUBMITTED', 'ALLOCATED', 'STARTED', 'FIRST STEP', 'IN ALL'],
    recoveries.map(({ attempt, cause, lost_steps, ...moments }) => {
      const fault = moments.fault_at ?? moments.last_step_at ?? moments.detected_at
      const { detected_at, resubmitted_at, allocated_at, started_at, first_step_at } = moments
      let before = fault
      const since = (at: number | undefined): string => {
        if (at === undefined) return ''
        const span = showDuration(at - before)
        before = Math.max(before, at)
        return span
      }
      const parts = [detected_at, resubmitted_at, allocated_at, started_at, first_step_at].map(since)
      return [String(attempt), cause, String(lost_steps), ...parts, first_step_at === undefined ? '' : showDuration(first_step_at - fault)]
    }),
    [0, 2, 3, 4, 5, 6, 7, 8],
  )
}

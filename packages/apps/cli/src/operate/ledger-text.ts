// A ledger for people. Accelerator-seconds are shown as time of the whole run, so that the column adds up to the wall clock.

import type { Ledger, LedgerEntry, Recovery } from '@ironlaw/contracts/ledger'
import { dollars, show } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { duration, stateText } from './run-text.ts'

const BAR = 40

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const money = (cost_usd: number | undefined): string => (cost_usd === undefined ? '' : show(dollars(cost_usd), 'USD'))

export function ledgerText(ledger: Ledger): string {
  const { run, state, wall_s, accelerators, steps, recoveries, cost_usd } = ledger
  return [
    `${paint('bold', run)}  ${stateText(state)}: ${duration(wall_s)} on ${accelerators} accelerators, ${steps} steps that count${cost_usd === undefined ? '' : `, ${money(cost_usd)}`}`,
    goodputLine(ledger),
    '',
    waterfall(ledger),
    '',
    gapLine(ledger),
    ...(recoveries.length === 0 ? [] : ['', recoveriesTable(recoveries)]),
  ].join('\n')
}

function goodputLine({ goodput: { scheduling, runtime, program } }: Ledger): string {
  const ofWall = `goodput ${percent(scheduling * runtime)} of wall time: scheduling ${percent(scheduling)} x runtime ${percent(runtime)}`
  return program === undefined
    ? ofWall
    : `${ofWall}; times program ${percent(program)} of peak = ${percent(scheduling * runtime * program)}`
}

/** In the order in which a run meets them, each drawn where the one before ended. */
function waterfall({ causes, accelerators, cost_usd }: Ledger): string {
  const shown = causes.filter(({ accelerator_s, predicted_accelerator_s = 0 }) => accelerator_s > 0 || predicted_accelerator_s > 0)
  let before = 0
  const rows = shown.map(({ cause, accelerator_s, predicted_accelerator_s, share, ...entry }) => {
    const begin = Math.round(BAR * before)
    before += share
    const drawn = ' '.repeat(begin) + paint('cyan', '█'.repeat(Math.round(BAR * before) - begin))
    const predicted = predicted_accelerator_s === undefined ? '' : duration(predicted_accelerator_s / accelerators)
    return [cause, duration(accelerator_s / accelerators), percent(share), predicted, money(entry.cost_usd), drawn]
  })
  const costs = cost_usd !== undefined
  const columns = ({ length }: readonly string[]): number[] => [...Array(length).keys()].filter((column) => costs || column !== 4)
  const pick = (row: readonly string[]): string[] => columns(row).map((column) => row[column] ?? '')
  return table(
    pick(['where the time went', 'measured', 'share', 'predicted', 'cost', '']),
    rows.map(pick),
    costs ? [1, 2, 3, 4] : [1, 2, 3],
  )
}

function gapLine({ gap, accelerators, causes }: Ledger): string {
  if (!gap) return 'nothing took longer than predicted'
  const entry: LedgerEntry | undefined = causes.find(({ cause }) => cause === gap.cause)
  const beyond = entry?.predicted_accelerator_s === undefined ? 'which the plan does not foresee' : 'more than predicted'
  return `largest gap: ${paint('bold', gap.cause)}, ${duration(gap.accelerator_s / accelerators)} ${beyond}\n  ${paint('dim', 'next:')} ${gap.next}`
}

function recoveriesTable(recoveries: readonly Recovery[]): string {
  const between = (from: number | undefined, to: number | undefined): string =>
    from === undefined || to === undefined ? '' : duration(to - from)
  return table(
    ['ATTEMPT', 'ENDED BY', 'LOST STEPS', 'DETECTED', 'RESUBMITTED', 'STARTED', 'FIRST STEP', 'IN ALL'],
    recoveries.map(({ attempt, cause, lost_steps, last_step_at, fault_at, detected_at, resubmitted_at, started_at, first_step_at }) => {
      const fault = fault_at ?? last_step_at
      return [
        String(attempt),
        cause,
        String(lost_steps),
        between(fault, detected_at),
        between(detected_at, resubmitted_at),
        between(resubmitted_at, started_at),
        between(started_at ?? resubmitted_at, first_step_at),
        between(fault ?? detected_at, first_step_at),
      ]
    }),
    [0, 2, 3, 4, 5, 6, 7],
  )
}

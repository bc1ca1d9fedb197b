// The ledger of the fleet as text, in accelerator time.

import type { FleetGroup, FleetLedger } from '@ironlaw/contracts/ledger-fleet'
import { showPercent } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { gapLine, goodputLines, spentColumns, waterfall } from './ledger-parts.ts'
import { showClock, showDuration } from '../run/run-text.ts'

export function fleetText(ledger: FleetLedger): string {
  const { from_at, runs, live, unbooked, by, groups, causes, accelerator_s } = ledger
  const left = [...(live > 0 ? [`${live} live`] : []), ...(unbooked > 0 ? [`${unbooked} that ended just now`] : [])]
  const head = `${paint('bold', `${runs} runs`)} ended since ${showClock(from_at)} UTC${left.length === 0 ? '' : ` (not counted: ${left.join(', ')})`}`
  if (runs === 0) return head
  return [
    head,
    `accelerator time ${showDuration(accelerator_s)}${spentText(ledger)}`,
    ...goodputLines(ledger.goodput),
    '',
    waterfall({ causes, total: ledger, time: showDuration }),
    '',
    gapLine(ledger, showDuration),
    ...(groups.length === 0 ? [] : ['', groupsTable(by, groups, ledger)]),
  ].join('\n')
}

/** Marks sums that cover only some of the runs. */
function spentText(ledger: FleetLedger): string {
  const { runs, known } = ledger
  const spent = spentColumns(ledger).map(({ text }) => `, ${text(ledger)}`)
  const partly = Object.values(known).some((count) => count > 0 && count < runs)
  const whose = `runs whose plan says it: cost ${known.cost_usd}, energy ${known.energy_j}, CO2e ${known.carbon_g}`
  return `${spent.join('')}${partly ? ` (${whose})` : ''}`
}

function groupsTable(by: string, groups: readonly FleetGroup[], total: FleetLedger): string {
  const spent = spentColumns(total)
  return table(
    [
      by.toUpperCase(),
      'RUNS',
      'TIME',
      'SHARE',
      'SCHEDULING',
      'RUNTIME',
      'PROGRAM',
      ...spent.map(({ title }) => title.toUpperCase()),
      'LARGEST GAP',
    ],
    groups.map((group) => {
      const { name, runs, accelerator_s, share, goodput, gap } = group
      return [
        name,
        String(runs),
        showDuration(accelerator_s),
        showPercent(share),
        showPercent(goodput.scheduling),
        goodput.runtime === undefined ? '' : showPercent(goodput.runtime),
        goodput.program === undefined ? '' : showPercent(goodput.program),
        ...spent.map(({ text }) => text(group)),
        gap ? `${gap.cause}, ${showDuration(gap.accelerator_s)}` : '',
      ]
    }),
    [1, 2, 3, 4, 5, 6, ...spent.map((_, index) => 7 + index)],
  )
}

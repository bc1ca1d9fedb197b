// `ironlaw data placement`: bring the data to the machines, or run where the data lies.

import { quantityOf } from '@ironlaw/contracts'
import { dataPlacement, type Placement } from '@ironlaw/planner'
import { bytes, dollars, seconds, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { paint } from '../paint.ts'
import { derivationText } from '../plan/derivation.ts'
import { table } from '../table.ts'

export type PlacementFlags = {
  readonly link: string
  readonly egress: string
  readonly timeHere: string
  readonly timeThere: string
  readonly costHere: string
  readonly costThere: string
  readonly explain?: true
}

export function placementAnswer(data: string, flags: PlacementFlags): CommandAnswer {
  const placement = dataPlacement({
    bytes: quantityOf(data, 'B'),
    link_bytes_per_s: quantityOf(flags.link, 'B/s'),
    egress_usd_per_byte: quantityOf(flags.egress, 'USD/B'),
    here: { time_s: quantityOf(flags.timeHere, 's'), cost_usd: quantityOf(flags.costHere, 'USD') },
    there: { time_s: quantityOf(flags.timeThere, 's'), cost_usd: quantityOf(flags.costThere, 'USD') },
  })
  const { move, stay, faster, cheaper, breakEven } = placement
  const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined)
  return {
    json: {
      move,
      stay,
      faster,
      cheaper,
      // Without end where moving costs nothing and saves something.
      break_even: { time_bytes: finite(breakEven.time_bytes), money_bytes: finite(breakEven.money_bytes) },
    },
    text: () => placementText(data, placement, flags.explain === true),
  }
}

function placementText(data: string, { move, stay, faster, cheaper, breakEven, derivations }: Placement, explained: boolean): string {
  const time = (value: number): string => show(seconds(value), 's')
  const money = (value: number): string => show(dollars(value), 'USD')
  const hasMoney = move.cost_usd > 0 || stay.cost_usd > 0
  const rows = [
    [`move ${data}`, time(move.transfer_s), money(move.transfer_usd)],
    ['move it and run there', time(move.time_s), money(move.cost_usd)],
    ['run here', time(stay.time_s), money(stay.cost_usd)],
  ]
  const word = { move: 'moving the data', stay: 'running where it lies' } as const
  const size = (value: number): string =>
    value <= 0 ? 'never' : Number.isFinite(value) ? `up to ${show(bytes(value), 'B')}` : 'whatever its size'
  return [
    `${paint('bold', word[faster])} is faster${hasMoney ? `, ${paint('bold', word[cheaper])} is cheaper` : ''}`,
    '',
    table(['', 'time', ...(hasMoney ? ['money'] : [])], hasMoney ? rows : rows.map((row) => row.slice(0, 2)), [1, 2]),
    '',
    `moving saves time ${size(breakEven.time_bytes)}${hasMoney ? `, and money ${size(breakEven.money_bytes)}` : ''}`,
    ...(explained ? ['', ...Object.entries(derivations).map(([name, known]) => derivationText(name, known))] : []),
  ].join('\n')
}

// Text shared by the ledgers of a run and of the fleet: money, energy and carbon, goodput, the waterfall, the largest gap.

import { type Goodput, GOODPUT_MEANS, type Ledger, type LedgerEntry, type Spending } from '@ironlaw/contracts/ledger'
import { type BaseUnit, dollars, gramsCO2e, joules, type Quantity, show, showPercent } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

const BAR = 40

type Column = { readonly title: string; readonly text: (of: Spending) => string }

/** Those of money, energy and carbon that are known. */
export function spentColumns(total: Spending): readonly Column[] {
  const quantityCell = <U extends BaseUnit>(value: Quantity<U> | undefined, unit: U): string =>
    value === undefined ? '' : show(value, unit)
  const columns: readonly (Column & { readonly known: boolean })[] = [
    {
      title: 'cost',
      known: total.cost_usd !== undefined,
      text: ({ cost_usd: x }) => quantityCell(x === undefined ? x : dollars(x), 'USD'),
    },
    { title: 'energy', known: total.energy_j !== undefined, text: ({ energy_j: x }) => quantityCell(x === undefined ? x : joules(x), 'J') },
    {
      title: 'CO2e',
      known: total.carbon_g !== undefined,
      text: ({ carbon_g: x }) => quantityCell(x === undefined ? x : gramsCO2e(x), 'gCO2e'),
    },
  ]
  return columns.filter(({ known }) => known)
}

export function goodputLines({ scheduling, runtime, program }: Goodput): readonly string[] {
  const line = (name: keyof typeof GOODPUT_MEANS, share: number): string =>
    `  ${name.padEnd(10)} ${showPercent(share).padStart(7)}  ${paint('dim', GOODPUT_MEANS[name])}`
  if (runtime === undefined) return ['goodput is unknown: the program reports no steps', line('scheduling', scheduling)]
  const held = scheduling * runtime
  return [
    `goodput ${showPercent(held)} of the time${program === undefined ? '' : `, ${showPercent(held * program)} of the peak`}`,
    line('scheduling', scheduling),
    line('runtime', runtime),
    ...(program === undefined ? [] : [line('program', program)]),
  ]
}

type WaterfallInput = {
  readonly causes: readonly LedgerEntry[]
  readonly total: Spending
  readonly time: (accelerator_s: number) => string
}

/** In the order in which they occur in a run, each bar starting where the one before ended. */
export function waterfall({ causes, total, time }: WaterfallInput): string {
  const shown = causes.filter(({ accelerator_s, predicted_accelerator_s = 0 }) => accelerator_s > 0 || predicted_accelerator_s > 0)
  const spent = spentColumns(total)
  let before = 0
  const rows = shown.map(({ cause, accelerator_s, predicted_accelerator_s, share, ...entry }) => {
    const begin = Math.round(BAR * before)
    before += share
    const drawn = ' '.repeat(begin) + paint('cyan', '█'.repeat(Math.round(BAR * before) - begin))
    const predicted = predicted_accelerator_s === undefined ? '' : time(predicted_accelerator_s)
    return [cause, time(accelerator_s), showPercent(share), predicted, ...spent.map(({ text }) => text(entry)), drawn]
  })
  const numbers = [1, 2, 3, ...spent.map((_, index) => 4 + index)]
  return table(['where the time went', 'measured', 'share', 'predicted', ...spent.map(({ title }) => title), ''], rows, numbers)
}

export function gapLine({ gap, causes }: Pick<Ledger, 'gap' | 'causes'>, time: (accelerator_s: number) => string): string {
  if (!gap) return 'nothing took longer than predicted'
  const entry = causes.find(({ cause }) => cause === gap.cause)
  const beyond = entry?.predicted_accelerator_s === undefined ? 'not accounted for in the plan' : 'more than predicted'
  return `largest gap: ${paint('bold', gap.cause)}, ${time(gap.accelerator_s)} ${beyond}\n  ${paint('dim', 'next:')} ${gap.next}`
}

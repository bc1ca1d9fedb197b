// Tables on standard output.

import type { ServingLedger } from '@ironlaw/policies/serving'
import { FIGURES, type Figures, quantile } from './served.ts'

const BAR = 40

export const ms = (seconds: number): string => (1000 * seconds).toFixed(1)
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
export const signed = (share: number): string => `${share >= 0 ? '+' : ''}${(100 * share).toFixed(1)} %`

export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')
  for (const row of [head, ...rows]) console.log(line(row).trimEnd())
}

export type Compared = { readonly name: string; readonly measured: Figures; readonly simulated: Figures }

/** Gives the median of all errors. */
export function comparisonTable(compared: readonly Compared[]): number {
  const error = ({ measured, simulated }: Compared, figure: (typeof FIGURES)[number]): number => simulated[figure] / measured[figure] - 1
  const shown = (figure: (typeof FIGURES)[number], value: number): string => (figure === 'tokens/s' ? value.toFixed(0) : ms(value))
  table(
    ['replicas, load', ...FIGURES.flatMap((figure) => [figure === 'tokens/s' ? figure : `${figure} ms`, 'sim.', 'error'])],
    compared.map((each) => [
      each.name,
      ...FIGURES.flatMap((figure) => [
        shown(figure, each.measured[figure]),
        shown(figure, each.simulated[figure]),
        signed(error(each, figure)),
      ]),
    ]),
  )
  const of = (figures: readonly (typeof FIGURES)[number][]): number =>
    quantile(
      compared.flatMap((each) => figures.map((figure) => Math.abs(error(each, figure)))),
      0.5,
    )
  const times = FIGURES.filter((figure) => figure !== 'tokens/s')
  console.log(
    `median error: ${FIGURES.map((figure) => `${figure} ${percent(of([figure]))}`).join(', ')}; of all ${percent(of(FIGURES))}, without tokens/s ${percent(of(times))}\n`,
  )
  return of(FIGURES)
}

/** As the ledger of a run prints. */
export function ledgerTable(title: string, { requests, wall_s, causes, unexplained, gap }: ServingLedger): void {
  console.log(`${title}: ${requests} requests, ${wall_s.toFixed(1)} s of waiting in all, ${percent(Math.abs(unexplained))} without a cause`)
  let before = 0
  const rows = causes.map(({ cause, measured_s, share, predicted_s }) => {
    const begin = Math.round(BAR * before)
    before += share
    const bar = `${' '.repeat(begin)}${'█'.repeat(Math.round(BAR * before) - begin)}`
    return [cause, `${measured_s.toFixed(2)} s`, percent(share), `${predicted_s.toFixed(2)} s`, bar.padEnd(BAR)]
  })
  table(['where the time went', 'measured', 'share', 'predicted', ''.padEnd(BAR)], rows)
  console.log(`largest gap: ${gap.cause}, ${Math.abs(gap.seconds).toFixed(2)} s ${gap.seconds > 0 ? 'more' : 'less'} than predicted\n`)
}

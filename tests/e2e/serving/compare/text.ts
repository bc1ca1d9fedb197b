// Tables on standard output.

import { quantile } from '@ironlaw/laws/quantile'
import type { ServingLedger } from '@ironlaw/policies/serving'
import { SERVED_FIGURES as FIGURES, type ServedFigure, type ServedFigures } from '@ironlaw/simulator/serving'
import { servingLedgerText } from 'ironlaw/serving-ledger-text'
import { showChange, showPercent } from '@ironlaw/units'

export const showMilliseconds = (seconds: number): string => (1000 * seconds).toFixed(1)

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')
  for (const row of [head, ...rows]) console.log(line(row).trimEnd())
}

export type ComparedCell = { readonly name: string; readonly measured: ServedFigures; readonly simulated: ServedFigures }

/** Gives the median of all errors. */
export function comparisonTable(compared: readonly ComparedCell[]): number {
  const error = ({ measured, simulated }: ComparedCell, figure: ServedFigure): number => simulated[figure] / measured[figure] - 1
  const figureText = (figure: ServedFigure, value: number): string => (figure === 'tokens/s' ? value.toFixed(0) : showMilliseconds(value))
  printTable(
    ['replicas, load', ...FIGURES.flatMap((figure) => [figure === 'tokens/s' ? figure : `${figure} ms`, 'sim.', 'error'])],
    compared.map((each) => [
      each.name,
      ...FIGURES.flatMap((figure) => [
        figureText(figure, each.measured[figure]),
        figureText(figure, each.simulated[figure]),
        showChange(error(each, figure)),
      ]),
    ]),
  )
  const of = (figures: readonly ServedFigure[]): number =>
    quantile(
      compared.flatMap((each) => figures.map((figure) => Math.abs(error(each, figure)))),
      0.5,
    )
  const times = FIGURES.filter((figure) => figure !== 'tokens/s')
  console.log(
    `median error: ${FIGURES.map((figure) => `${figure} ${showPercent(of([figure]))}`).join(', ')}; of all ${showPercent(of(FIGURES))}, without tokens/s ${showPercent(of(times))}\n`,
  )
  return of(FIGURES)
}

export const ledgerTable = (title: string, ledger: ServingLedger): void =>
  console.log(`${title}, ${showPercent(Math.abs(ledger.unexplained))} without a cause\n${servingLedgerText(ledger)}\n`)

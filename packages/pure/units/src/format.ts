// Writing quantities. `format` is exact: what it writes, `parse` reads back as the same double. `show` rounds
// for people and picks the unit they would say: minutes and days, kWh, dollars per hour.

import { roundedText, shiftedText } from './decimal.ts'
import type { Quantity } from './quantity.ts'
import { type BaseUnit, rowsOf, type UnitRow } from './unit-table.ts'

export function format<U extends BaseUnit>(value: Quantity<U>, base: U): string {
  if (!Number.isFinite(value)) return String(value)
  const row = unitRowFor(
    value,
    rowsOf(base).filter((candidate) => candidate.shown && candidate.power !== undefined),
    1,
  )
  return row ? spacedDigits(shiftedText(value, row.power ?? 0), row.symbol, base) : `${shiftedText(value, 0)} ${base}`
}

export function show<U extends BaseUnit>(value: Quantity<U>, base: U, digits = 3): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'undefined' : value > 0 ? 'unbounded' : 'minus unbounded'
  if (base === 'USD' || base === 'USD/s') return moneyText(value, base, digits)
  const row = unitRowFor(
    value,
    rowsOf(base).filter((candidate) => candidate.shown),
    base === 's' ? 2 : 1,
  )
  if (!row) return `${roundedText(value, digits)} ${base}`
  return spacedDigits(groupedDigits(roundedText(value / row.factor, Math.max(digits, wholeDigits(value / row.factor)))), row.symbol, base)
}

/** The largest unit that leaves at least `least` of itself; the smallest when none does. Zero is written in the plain unit. */
function unitRowFor(value: number, rows: readonly UnitRow[], least: number): UnitRow | undefined {
  const size = Math.abs(value)
  if (size === 0) return rows.find((row) => row.power === 0) ?? rows[0]
  const rising = rows.toSorted((a, b) => a.factor - b.factor)
  return rising.findLast((row) => size >= row.factor * (row.power === undefined ? least : 1)) ?? rising[0]
}

/** Whole digits are never rounded away below a million: 16,384 accelerators are not 16,400. */
function wholeDigits(value: number): number {
  const size = Math.abs(value)
  return size >= 1 && size < 1e6 && Number.isInteger(value) ? String(size).length : 1
}

const MONEY = [
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['B', 1e9],
] as const

function moneyText(value: number, base: 'USD' | 'USD/s', digits: number): string {
  const amount = base === 'USD' ? value : value * 3600
  const [suffix, factor] = MONEY.findLast(([, least]) => Math.abs(amount) >= least * (least === 1e3 ? 10 : 1)) ?? MONEY[0]
  const scaled = Math.abs(amount / factor)
  const text = suffix === '' && scaled >= 0.1 ? scaled.toFixed(2) : roundedText(scaled, digits)
  return `${amount < 0 ? '-' : ''}$${groupedDigits(text)}${suffix}${base === 'USD' ? '' : '/h'}`
}

/** "70B" and "1.2T tokens" are written closed up, as people do; "80 B" of memory is not. */
function spacedDigits(digits: string, symbol: string, base: BaseUnit): string {
  const closed = symbol === '' || ((base === '1' || base === 'token') && /^[MBT]/.test(symbol))
  return closed ? digits + symbol : `${digits} ${symbol}`
}

const groupedDigits = (digits: string): string =>
  digits.replace(/^(-?)(\d{5,})/, (_, sign: string, whole: string) => sign + whole.replaceAll(/\B(?=(\d{3})+$)/g, ','))

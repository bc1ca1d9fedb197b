// Reading quantities: "80 GB", "400 Gb/s", "1.2T tokens", "14d", "$2.50/h". A number without a unit is
// refused unless the quantity has none, because every silent assumption of a unit was once a wrong plan.

import { shiftedNumber } from './decimal.ts'
import { type Quantity, quantity } from './quantity.ts'
import { examplesOf, nounOf, withUsualUnit } from './quantity-words.ts'
import { type BaseUnit, rowOf } from './unit-table.ts'

export type ParsedQuantity<U extends BaseUnit> =
  | { readonly ok: true; readonly value: Quantity<U> }
  | { readonly ok: false; readonly reason: string }

const NUMBER = /^([+-]?(?:\d[\d_]*(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)\s*(.*)$/is

export function parse<U extends BaseUnit>(text: string, base: U): ParsedQuantity<U> {
  const { digits, symbol } = split(text)
  if (digits === undefined) return refusal(`"${text}" does not start with a number; write for example ${examplesOf(base)}`)
  const row = rowOf(symbol, base)
  if (row) {
    const value = row.power === undefined ? Number(digits) * row.factor : shiftedNumber(digits, row.power)
    return Number.isFinite(value) ? { ok: true, value: quantity(value, base) } : refusal(`"${text}" is too large`)
  }
  return refusal(symbol === '' ? `"${text}" has no unit; write for example "${withUsualUnit(digits, base)}"` : wrongUnit(symbol, base))
}

/** A unit symbol alone, as a multiple of the base unit: `factorOf('GB', 'B')` is 1e9. */
export const factorOf = (symbol: string, base: BaseUnit): number | undefined => rowOf(symbol, base)?.factor

function split(text: string): { digits: string | undefined; symbol: string } {
  const trimmed = text.trim()
  const dollar = /^[+-]?\$/.test(trimmed)
  const match = NUMBER.exec(dollar ? trimmed.replace('$', '') : trimmed)
  if (!match) return { digits: undefined, symbol: '' }
  const symbol = (match[2] ?? '').trim()
  const [scale = '', per] = symbol.split('/')
  const money = `${scale === '' ? '' : `${scale} `}USD${per === undefined ? '' : `/${per}`}`
  return { digits: match[1]?.replaceAll(/[_,]/g, ''), symbol: dollar ? money : symbol }
}

const wrongUnit = (symbol: string, base: BaseUnit): string =>
  `"${symbol}" is not a unit of ${nounOf(base)}; write for example ${examplesOf(base)}`

const refusal = (reason: string): { ok: false; reason: string } => ({ ok: false, reason })

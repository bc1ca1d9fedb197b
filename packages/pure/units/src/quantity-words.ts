// What a quantity is called and how one is usually written, for messages and descriptions: an error about a link should speak of bandwidth
// and show bits, not list every multiple of a byte.

import { type BaseUnit, rowsOf } from './unit-table.ts'

type QuantityWords = {
  readonly noun: string
  /** As people write it most; the first is enough where there is little room. */
  readonly examples: readonly [string, ...string[]]
  /** The unit to put behind a bare number. */
  readonly usual?: string
}

const WORDS: Partial<Record<BaseUnit, QuantityWords>> = {
  '1': { noun: 'a number', examples: ['8', '0.5', '70B'] },
  s: { noun: 'time', examples: ['30min', '12h', '54d'], usual: 'min' },
  '1/s': { noun: 'a rate', examples: ['20/s', '5/h'], usual: '/s' },
  B: { noun: 'memory', examples: ['80 GB', '80 GiB'], usual: 'GB' },
  'B/s': { noun: 'bandwidth', examples: ['100 Gb/s (bits)', '12.5 GB/s (bytes)'], usual: 'Gb/s' },
  'FLOP/s': { noun: 'a rate of arithmetic', examples: ['989 TFLOP/s'], usual: 'TFLOP/s' },
  token: { noun: 'tokens', examples: ['300B tokens', '4M tokens', '2T'], usual: 'B tokens' },
  'token/s': { noun: 'a rate of tokens', examples: ['1000 token/s'] },
  W: { noun: 'power', examples: ['700 W', '10 kW'] },
  J: { noun: 'energy', examples: ['2 MWh', '10 kJ'] },
  USD: { noun: 'money', examples: ['$5M', '$250k'] },
  'USD/s': { noun: 'a price per time', examples: ['$2.50/h'], usual: 'USD/h' },
}

export const nounOf = (base: BaseUnit): string => WORDS[base]?.noun ?? `a quantity in ${base}`

/** Examples as a sentence ends with them: "100 Gb/s (bits) or 12.5 GB/s (bytes)". */
export function examplesOf(base: BaseUnit): string {
  const { examples } = WORDS[base] ?? { examples: [`1 ${base}`] }
  return examples.length === 1 ? (examples[0] ?? '') : `${examples.slice(0, -1).join(', ')} or ${examples.at(-1)}`
}

/** The same digits with a unit that people would put there. */
export function withUsualUnit(digits: string, base: BaseUnit): string {
  const shown = rowsOf(base).filter((row) => row.shown)
  const symbol = WORDS[base]?.usual ?? shown[Math.min(shown.length - 1, Math.floor(shown.length / 2))]?.symbol ?? base
  return symbol.startsWith('B ') || symbol.startsWith('/') ? `${digits}${symbol}` : `${digits} ${symbol}`
}

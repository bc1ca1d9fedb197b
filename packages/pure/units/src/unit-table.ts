// Every unit symbol the product reads or writes, grouped by the base unit its quantity is held in.
// Grouping by base is what lets "m" be a metre, "min" a minute and "M" a million without guessing:
// the reader always knows which quantity it wants.

export type UnitRow = {
  readonly symbol: string
  readonly factor: number
  /** Set where the factor is exactly 10^power: such units convert without rounding. */
  readonly power?: number
  /** Symbols the formatter may choose; the others are only read. */
  readonly shown?: true
}

const powerOfTen = (symbol: string, power: number, shown?: 'shown'): UnitRow => ({
  symbol,
  factor: Number(`1e${power}`),
  power,
  ...(shown && { shown: true }),
})

const multiple = (symbol: string, factor: number, shown?: 'shown'): UnitRow => ({
  symbol,
  factor,
  ...(shown && { shown: true }),
})

const PREFIXES = { p: -12, n: -9, u: -6, µ: -6, m: -3, '': 0, k: 3, K: 3, M: 6, G: 9, T: 12, P: 15, E: 18, Z: 21, Y: 24 }
type Prefix = keyof typeof PREFIXES

function prefixedUnits(symbol: string, shown: readonly Prefix[], read: readonly Prefix[] = []): UnitRow[] {
  return [
    ...shown.map((prefix) => powerOfTen(prefix + symbol, PREFIXES[prefix], 'shown')),
    ...read.map((prefix) => powerOfTen(prefix + symbol, PREFIXES[prefix])),
  ]
}

const binary = (suffix: string): UnitRow[] =>
  ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'].map((prefix, index) => multiple(prefix + suffix, 1024 ** (index + 1)))

const bitMultiples = (suffix: string): UnitRow[] =>
  (['', 'k', 'K', 'M', 'G', 'T', 'P'] as const).map((prefix) => multiple(prefix + suffix, Number(`1e${PREFIXES[prefix]}`) / 8))

const UP = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const
const FLOPS = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'] as const

export const MINUTE = 60
export const HOUR = 3600
export const DAY = 86_400
/** 365 days: the convention of failure rates and of depreciation. */
export const YEAR = 365 * DAY
export const KWH = 3.6e6

const counts = (noun: string): UnitRow[] => {
  // "300B" where only tokens can be meant is as clear as "300B tokens"; a bare number stays without a unit.
  const names = noun === '' ? [''] : [` ${noun}`, ` ${noun}s`, noun, `${noun}s`, '']
  const shown = noun === '' ? '' : ` ${noun}s`
  return [
    powerOfTen(noun, 0, 'shown'),
    ...(noun === '' ? [] : [powerOfTen(`${noun}s`, 0)]),
    ...names.flatMap((name) =>
      [
        ['k', 3],
        ['K', 3],
        ['M', 6],
        ['B', 9],
        ['G', 9],
        ['T', 12],
        ['Q', 15],
      ].map(([prefix, power]) =>
        powerOfTen(`${prefix}${name}`, Number(power), name === shown && 'MBT'.includes(String(prefix)) ? 'shown' : undefined),
      ),
    ),
  ]
}

const money = (per: string, scale = 1): UnitRow[] =>
  [
    ['USD', 0],
    ['kUSD', 3],
    ['k USD', 3],
    ['K USD', 3],
    ['M USD', 6],
    ['B USD', 9],
  ].map(([symbol, power]) =>
    scale === 1
      ? powerOfTen(`${symbol}${per}`, Number(power), symbol === 'USD' ? 'shown' : undefined)
      : multiple(`${symbol}${per}`, Number(`1e${power}`) * scale),
  )

export const UNITS = {
  '1': [...counts(''), multiple('%', 0.01)],
  s: [
    ...prefixedUnits('s', ['n', 'u', 'm', ''], ['µ']),
    multiple('min', MINUTE, 'shown'),
    multiple('h', HOUR, 'shown'),
    multiple('d', DAY, 'shown'),
    multiple('year', YEAR, 'shown'),
    multiple('hour', HOUR),
    multiple('hours', HOUR),
    multiple('day', DAY),
    multiple('days', DAY),
    multiple('minutes', MINUTE),
    multiple('week', 7 * DAY),
    multiple('weeks', 7 * DAY),
    multiple('y', YEAR),
    multiple('years', YEAR),
    powerOfTen('sec', 0),
    powerOfTen('seconds', 0),
  ],
  '1/s': [
    ...prefixedUnits('/s', UP),
    powerOfTen('1/s', 0),
    powerOfTen('rps', 0),
    powerOfTen('Hz', 0),
    powerOfTen('kHz', 3),
    powerOfTen('MHz', 6),
    powerOfTen('GHz', 9),
    multiple('/min', 1 / MINUTE),
    multiple('/h', 1 / HOUR, 'shown'),
    multiple('1/h', 1 / HOUR),
    multiple('/day', 1 / DAY),
    multiple('FIT', 1 / (1e9 * HOUR)),
  ],
  B: [...prefixedUnits('B', UP, ['K']), ...binary('B'), ...bitMultiples('b'), ...bitMultiples('bit')],
  bit: prefixedUnits('bit', UP),
  'B/s': [...prefixedUnits('B/s', UP, ['K']), ...binary('B/s'), ...bitMultiples('b/s'), ...bitMultiples('bps'), ...bitMultiples('bit/s')],
  FLOP: [...prefixedUnits('FLOP', FLOPS), powerOfTen('FLOPs', 0)],
  'FLOP/s': [...prefixedUnits('FLOP/s', FLOPS), ...prefixedUnits('FLOPS', [], FLOPS), ...prefixedUnits('OPS', [], ['G', 'T', 'P'])],
  'FLOP/B': [powerOfTen('FLOP/B', 0, 'shown')],
  token: counts('token'),
  'token/s': [
    powerOfTen('token/s', 0, 'shown'),
    powerOfTen('tokens/s', 0),
    powerOfTen('tok/s', 0),
    powerOfTen('k token/s', 3),
    powerOfTen('M token/s', 6, 'shown'),
    powerOfTen('B token/s', 9, 'shown'),
    multiple('token/h', 1 / HOUR),
    multiple('token/day', 1 / DAY),
  ],
  W: prefixedUnits('W', ['u', 'm', '', 'k', 'M', 'G'], ['µ', 'n']),
  'W/s': prefixedUnits('W/s', ['', 'k', 'M', 'G']),
  'W/m2': [powerOfTen('W/m2', 0, 'shown'), powerOfTen('W/cm2', 4, 'shown')],
  J: [
    ...prefixedUnits('J', ['p', 'n', 'u', 'm', '', 'k'], ['µ', 'M', 'G']),
    multiple('Wh', HOUR),
    multiple('kWh', KWH, 'shown'),
    multiple('MWh', 1e3 * KWH, 'shown'),
    multiple('GWh', 1e6 * KWH, 'shown'),
    multiple('TWh', 1e9 * KWH),
  ],
  'J/B': prefixedUnits('J/B', ['p', 'n', 'u', 'm', '']),
  'J/token': prefixedUnits('J/token', ['u', 'm', '']),
  USD: [...money(''), powerOfTen('K', 3), powerOfTen('M', 6), powerOfTen('B', 9)],
  'USD/s': [
    ...money('/s'),
    ...money('/h', 1 / HOUR),
    ...money('/day', 1 / DAY),
    ...money('/month', 1 / (730 * HOUR)),
    ...money('/year', 1 / YEAR),
  ],
  'USD/B': [powerOfTen('USD/B', 0), powerOfTen('USD/GB', -9, 'shown'), powerOfTen('USD/TB', -12), multiple('USD/GiB', 1 / 1024 ** 3)],
  'USD/J': [powerOfTen('USD/J', 0), multiple('USD/kWh', 1 / KWH, 'shown'), multiple('USD/MWh', 1e-3 / KWH)],
  'USD/token': [
    powerOfTen('USD/token', 0),
    powerOfTen('USD/Mtoken', -6, 'shown'),
    powerOfTen('USD/1M tokens', -6),
    powerOfTen('USD/1k tokens', -3),
  ],
  gCO2e: [
    powerOfTen('g', 0, 'shown'),
    powerOfTen('kg', 3, 'shown'),
    powerOfTen('t', 6, 'shown'),
    powerOfTen('kt', 9, 'shown'),
    powerOfTen('Mt', 12),
    powerOfTen('gCO2e', 0),
    powerOfTen('kgCO2e', 3),
    powerOfTen('tCO2e', 6),
  ],
  'gCO2e/J': [
    powerOfTen('g/J', 0),
    multiple('g/kWh', 1 / KWH, 'shown'),
    multiple('kg/MWh', 1 / KWH),
    multiple('kg/kWh', 1e3 / KWH),
    multiple('gCO2e/kWh', 1 / KWH),
  ],
  m: prefixedUnits('m', ['u', 'm', '', 'k']),
  'm/s': [powerOfTen('m/s', 0, 'shown'), powerOfTen('km/s', 3), multiple('km/h', 1 / 3.6)],
  m2: [powerOfTen('m2', 0, 'shown'), powerOfTen('cm2', -4), powerOfTen('mm2', -6)],
  'm3/s': [powerOfTen('m3/s', 0, 'shown'), powerOfTen('L/s', -3)],
  L: [...prefixedUnits('L', ['m', '', 'k']), powerOfTen('m3', 3)],
  'L/J': [powerOfTen('L/J', 0), multiple('L/kWh', 1 / KWH, 'shown')],
  kg: [powerOfTen('kg', 0, 'shown'), powerOfTen('g', -3), powerOfTen('t', 3)],
  'kg/s': [powerOfTen('kg/s', 0, 'shown')],
  'kg/m3': [powerOfTen('kg/m3', 0, 'shown')],
  'J/kg/K': [powerOfTen('J/kg/K', 0, 'shown'), powerOfTen('kJ/kg/K', 3)],
  K: [powerOfTen('K', 0, 'shown')],
  V: [powerOfTen('V', 0, 'shown'), powerOfTen('mV', -3)],
} as const satisfies Record<string, readonly UnitRow[]>

/** The units in which quantities are held; every law speaks in these. */
export type BaseUnit = keyof typeof UNITS

export const isBaseUnit = (unit: string): unit is BaseUnit => Object.hasOwn(UNITS, unit)

export const rowsOf = (base: BaseUnit): readonly UnitRow[] => UNITS[base]

/** A base unit's own symbol is always read, whether or not people use it. */
export const rowOf = (symbol: string, base: BaseUnit): UnitRow | undefined =>
  rowsOf(base).find((row) => row.symbol === symbol) ?? (symbol === base ? powerOfTen(base, 0) : undefined)

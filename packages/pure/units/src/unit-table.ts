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

const ten = (symbol: string, power: number, shown?: 'shown'): UnitRow => ({
  symbol,
  factor: Number(`1e${power}`),
  power,
  ...(shown && { shown: true }),
})

const by = (symbol: string, factor: number, shown?: 'shown'): UnitRow => ({
  symbol,
  factor,
  ...(shown && { shown: true }),
})

const PREFIXES = { p: -12, n: -9, u: -6, µ: -6, m: -3, '': 0, k: 3, K: 3, M: 6, G: 9, T: 12, P: 15, E: 18, Z: 21, Y: 24 }
type Prefix = keyof typeof PREFIXES

function prefixed(symbol: string, shown: readonly Prefix[], read: readonly Prefix[] = []): UnitRow[] {
  return [
    ...shown.map((prefix) => ten(prefix + symbol, PREFIXES[prefix], 'shown')),
    ...read.map((prefix) => ten(prefix + symbol, PREFIXES[prefix])),
  ]
}

const binary = (suffix: string): UnitRow[] =>
  ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'].map((prefix, index) => by(prefix + suffix, 1024 ** (index + 1)))

const bitMultiples = (suffix: string): UnitRow[] =>
  (['', 'k', 'K', 'M', 'G', 'T', 'P'] as const).map((prefix) => by(prefix + suffix, Number(`1e${PREFIXES[prefix]}`) / 8))

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
    ten(noun, 0, 'shown'),
    ...(noun === '' ? [] : [ten(`${noun}s`, 0)]),
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
        ten(`${prefix}${name}`, Number(power), name === shown && 'MBT'.includes(String(prefix)) ? 'shown' : undefined),
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
      ? ten(`${symbol}${per}`, Number(power), symbol === 'USD' ? 'shown' : undefined)
      : by(`${symbol}${per}`, Number(`1e${power}`) * scale),
  )

export const UNITS = {
  '1': [...counts(''), by('%', 0.01)],
  s: [
    ...prefixed('s', ['n', 'u', 'm', ''], ['µ']),
    by('min', MINUTE, 'shown'),
    by('h', HOUR, 'shown'),
    by('d', DAY, 'shown'),
    by('year', YEAR, 'shown'),
    by('hour', HOUR),
    by('hours', HOUR),
    by('day', DAY),
    by('days', DAY),
    by('minutes', MINUTE),
    by('week', 7 * DAY),
    by('weeks', 7 * DAY),
    by('y', YEAR),
    by('years', YEAR),
    ten('sec', 0),
    ten('seconds', 0),
  ],
  '1/s': [
    ...prefixed('/s', UP),
    ten('1/s', 0),
    ten('rps', 0),
    ten('Hz', 0),
    ten('kHz', 3),
    ten('MHz', 6),
    ten('GHz', 9),
    by('/min', 1 / MINUTE),
    by('/h', 1 / HOUR, 'shown'),
    by('1/h', 1 / HOUR),
    by('/day', 1 / DAY),
    by('FIT', 1 / (1e9 * HOUR)),
  ],
  B: [...prefixed('B', UP, ['K']), ...binary('B'), ...bitMultiples('b'), ...bitMultiples('bit')],
  bit: prefixed('bit', UP),
  'B/s': [...prefixed('B/s', UP, ['K']), ...binary('B/s'), ...bitMultiples('b/s'), ...bitMultiples('bps'), ...bitMultiples('bit/s')],
  FLOP: [...prefixed('FLOP', FLOPS), ten('FLOPs', 0)],
  'FLOP/s': [...prefixed('FLOP/s', FLOPS), ...prefixed('FLOPS', [], FLOPS), ...prefixed('OPS', [], ['G', 'T', 'P'])],
  'FLOP/B': [ten('FLOP/B', 0, 'shown')],
  token: counts('token'),
  'token/s': [
    ten('token/s', 0, 'shown'),
    ten('tokens/s', 0),
    ten('tok/s', 0),
    ten('k token/s', 3),
    ten('M token/s', 6, 'shown'),
    ten('B token/s', 9, 'shown'),
    by('token/h', 1 / HOUR),
    by('token/day', 1 / DAY),
  ],
  W: prefixed('W', ['u', 'm', '', 'k', 'M', 'G'], ['µ', 'n']),
  'W/s': prefixed('W/s', ['', 'k', 'M', 'G']),
  'W/m2': [ten('W/m2', 0, 'shown'), ten('W/cm2', 4, 'shown')],
  J: [
    ...prefixed('J', ['p', 'n', 'u', 'm', '', 'k'], ['µ', 'M', 'G']),
    by('Wh', HOUR),
    by('kWh', KWH, 'shown'),
    by('MWh', 1e3 * KWH, 'shown'),
    by('GWh', 1e6 * KWH, 'shown'),
    by('TWh', 1e9 * KWH),
  ],
  'J/B': prefixed('J/B', ['p', 'n', 'u', 'm', '']),
  'J/token': prefixed('J/token', ['u', 'm', '']),
  USD: [...money(''), ten('K', 3), ten('M', 6), ten('B', 9)],
  'USD/s': [
    ...money('/s'),
    ...money('/h', 1 / HOUR),
    ...money('/day', 1 / DAY),
    ...money('/month', 1 / (730 * HOUR)),
    ...money('/year', 1 / YEAR),
  ],
  'USD/B': [ten('USD/B', 0), ten('USD/GB', -9, 'shown'), ten('USD/TB', -12), by('USD/GiB', 1 / 1024 ** 3)],
  'USD/J': [ten('USD/J', 0), by('USD/kWh', 1 / KWH, 'shown'), by('USD/MWh', 1e-3 / KWH)],
  'USD/token': [ten('USD/token', 0), ten('USD/Mtoken', -6, 'shown'), ten('USD/1M tokens', -6), ten('USD/1k tokens', -3)],
  gCO2e: [
    ten('g', 0, 'shown'),
    ten('kg', 3, 'shown'),
    ten('t', 6, 'shown'),
    ten('kt', 9, 'shown'),
    ten('Mt', 12),
    ten('gCO2e', 0),
    ten('kgCO2e', 3),
    ten('tCO2e', 6),
  ],
  'gCO2e/J': [ten('g/J', 0), by('g/kWh', 1 / KWH, 'shown'), by('kg/MWh', 1 / KWH), by('kg/kWh', 1e3 / KWH), by('gCO2e/kWh', 1 / KWH)],
  m: prefixed('m', ['u', 'm', '', 'k']),
  'm/s': [ten('m/s', 0, 'shown'), ten('km/s', 3), by('km/h', 1 / 3.6)],
  m2: [ten('m2', 0, 'shown'), ten('cm2', -4), ten('mm2', -6)],
  'm3/s': [ten('m3/s', 0, 'shown'), ten('L/s', -3)],
  L: [...prefixed('L', ['m', '', 'k']), ten('m3', 3)],
  'L/J': [ten('L/J', 0), by('L/kWh', 1 / KWH, 'shown')],
  kg: [ten('kg', 0, 'shown'), ten('g', -3), ten('t', 3)],
  'kg/s': [ten('kg/s', 0, 'shown')],
  'kg/m3': [ten('kg/m3', 0, 'shown')],
  'J/kg/K': [ten('J/kg/K', 0, 'shown'), ten('kJ/kg/K', 3)],
  K: [ten('K', 0, 'shown')],
  V: [ten('V', 0, 'shown'), ten('mV', -3)],
} as const satisfies Record<string, readonly UnitRow[]>

/** The units in which quantities are held; every law speaks in these. */
export type BaseUnit = keyof typeof UNITS

export const isBaseUnit = (unit: string): unit is BaseUnit => Object.hasOwn(UNITS, unit)

export const rowsOf = (base: BaseUnit): readonly UnitRow[] => UNITS[base]

/** A base unit's own symbol is always read, whether or not people use it. */
export const rowOf = (symbol: string, base: BaseUnit): UnitRow | undefined =>
  rowsOf(base).find((row) => row.symbol === symbol) ?? (symbol === base ? ten(base, 0) : undefined)

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { format, show } from './format.ts'
import { parse } from './parse.ts'
import { type Quantity, quantity } from './quantity.ts'
import { type BaseUnit, UNITS } from './unit-table.ts'

const BASES = Object.keys(UNITS) as BaseUnit[]

function parseValid<U extends BaseUnit>(text: string, base: U): Quantity<U> {
  const parsed = parse(text, base)
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.value
}

describe('parse', () => {
  test.each([
    ['80 GB', 'B', 80e9],
    ['80GiB', 'B', 80 * 1024 ** 3],
    ['400 Gb/s', 'B/s', 50e9],
    ['400Gbps', 'B/s', 50e9],
    ['989.4 TFLOP/s', 'FLOP/s', 989.4e12],
    ['989.4 TFLOPS', 'FLOP/s', 989.4e12],
    ['1.2T tokens', 'token', 1.2e12],
    ['15.6 T tokens', 'token', 15.6e12],
    ['300B', 'token', 300e9],
    ['4Mtokens', 'token', 4e6],
    ['14d', 's', 14 * 86_400],
    ['2min', 's', 120],
    ['4h', 's', 14_400],
    ['$2.50/h', 'USD/s', 2.5 / 3600],
    ['$1.2M', 'USD', 1.2e6],
    ['$98', 'USD', 98],
    ['0.12 USD/kWh', 'USD/J', 0.12 / 3.6e6],
    ['70B', '1', 70e9],
    ['16,384', '1', 16_384],
    ['1_000', '1', 1000],
    ['45%', '1', 0.45],
    ['400 g/kWh', 'gCO2e/J', 400 / 3.6e6],
    ['1.3 pJ/B', 'J/B', 1.3e-12],
    ['-3e2', '1', -300],
    ['.5', '1', 0.5],
  ] as const)('%s as %s', (text, base, want) => {
    expect(parseValid(text, base)).toBeCloseTo(want, 12 - Math.ceil(Math.log10(Math.abs(want) + 1)))
  })

  test.each([
    ['80', 'B', 'has no unit'],
    ['300', 'token', 'has no unit'],
    ['80 Gb/s', 'B', '"Gb/s" is not a unit of memory; write for example 80 GB or 80 GiB'],
    ['100GB', 'B/s', '"GB" is not a unit of bandwidth; write for example 100 Gb/s (bits) or 12.5 GB/s (bytes)'],
    ['100', 'B/s', 'has no unit; write for example "100 Gb/s"'],
    ['eight', '1', '"eight" does not start with a number; write for example 8, 0.5 or 70B'],
    ['15.6TB', 'token', '"TB" is not a unit of tokens; write for example 300B tokens, 4M tokens or 2T'],
    ['fast', 's', 'does not start with a number; write for example 30min, 12h or 54d'],
    ['', 's', 'does not start with a number'],
    ['5 hours later', 's', 'is not a unit'],
    ['1e999 GB', 'B', 'too large'],
    ['80 gb', 'B', 'is not a unit'],
  ] as const)('%s as %s is refused', (text, base, reason) => {
    expect(parse(text, base)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
  })

  test('a letter case that changes the meaning changes the value', () => {
    expect(parseValid('1 GB', 'B') / parseValid('1 Gb', 'B')).toBe(8)
    expect(parseValid('1 MW', 'W') / parseValid('1 mW', 'W')).toBeCloseTo(1e9)
  })
})

describe('format', () => {
  const fourteenOrders = fc
    .tuple(fc.double({ min: 1, max: 10, maxExcluded: true, noNaN: true }), fc.integer({ min: -4, max: 10 }), fc.boolean())
    .map(([mantissa, exponent, negative]) => (negative ? -1 : 1) * mantissa * 10 ** exponent)

  test.each(BASES)('%s: parse(format(x)) is x to the last bit', (base) => {
    fc.assert(fc.property(fourteenOrders, (x) => parseValid(format(quantity(x, base), base), base) === x))
  })

  test.each(BASES)('%s: parse(show(x)) is x to three digits', (base) => {
    fc.assert(
      fc.property(fourteenOrders, (x) => {
        const back = parseValid(show(quantity(x, base), base), base)
        return (
          Math.abs(back - x) <=
          (base.startsWith('USD') ? Math.max(0.0051 * Math.abs(x), 0.0051 / (base === 'USD/s' ? 3600 : 1)) : 0.0051 * Math.abs(x))
        )
      }),
    )
  })
})

test.each([
  [80e9, 'B', '80 GB'],
  [16_384, '1', '16,384'],
  [0.456789, '1', '0.457'],
  [70_553_706_496, '1', '70.6B'],
  [15.6e12, 'token', '15.6T tokens'],
  [90, 's', '90 s'],
  [3600, 's', '60 min'],
  [54 * 86_400, 's', '54 d'],
  [0.0123, 's', '12.3 ms'],
  [989.4e12, 'FLOP/s', '989 TFLOP/s'],
  [3.14e23, 'FLOP', '314 ZFLOP'],
  [2.5 / 3600, 'USD/s', '$2.50/h'],
  [4_600_000, 'USD', '$4.6M'],
  [12.345, 'USD', '$12.35'],
  [1287 * 3.6e9, 'J', '1.29 GWh'],
  [552e6, 'gCO2e', '552 t'],
  [400 / 3.6e6, 'gCO2e/J', '400 g/kWh'],
  [0, 'B', '0 B'],
  [Infinity, 's', 'unbounded'],
] as const)('show(%d, %s) is %s', (value, base, text) => {
  expect(show(quantity(value, base as BaseUnit), base as BaseUnit)).toBe(text)
})

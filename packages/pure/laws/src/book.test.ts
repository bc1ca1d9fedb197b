import { type BaseUnit, givenValue, type Known, type KnownInputs, parse } from '@ironlaw/units'
import { describe, expect, test } from 'vitest'
import { book } from './book.ts'
import { checkLaws } from './check.ts'
import { omittedExamples, workedExamples } from './examples.ts'
import { explainedOutput, validityProblems } from './explain.ts'
import { formulaValue } from './formula.ts'
import { outputOf, type Law, type LooseValues } from './law.ts'
import type { WorkedExample } from './worked.ts'

const laws = [...book.values()]

function valuesOf(law: Law, example: WorkedExample): LooseValues {
  const number = (text: string, unit: BaseUnit): number => {
    const parsed = parse(text, unit)
    if (!parsed.ok) throw new Error(`${example.id}: ${parsed.reason}`)
    return parsed.value
  }
  return Object.fromEntries(
    Object.entries(example.given).map(([name, value]) => {
      const unit = law.inputs[name]?.unit ?? '1'
      return [name, typeof value === 'string' ? number(value, unit) : value.map((each) => number(each, unit))]
    }),
  )
}

const cases = workedExamples.flatMap((example) => {
  const law = book.get(example.law)
  return law ? [{ law, example, input: valuesOf(law, example) }] : []
})

test('every worked example is reproduced, or left out with a reason', () => {
  const check = checkLaws(book, workedExamples, omittedExamples)
  expect(check.failures).toEqual([])
  expect(check.lawsWithoutExample).toEqual([])
  expect(check.laws).toBeGreaterThanOrEqual(250)
  expect(check.passed).toBeGreaterThanOrEqual(1620)
  expect(check.passed + check.skipped).toBe(check.examples)
})

test('no example appears twice, none is both worked and left out', () => {
  const ids = [...workedExamples.map((example) => example.id), ...Object.values(omittedExamples).flatMap(({ examples }) => examples)]
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test('a wrong law is noticed: one percent more fails the examples', () => {
  const bent = new Map(
    laws.map((law): [string, Law] => [law.id, { ...law, of: (input) => (law.of(input) * 1.01) as ReturnType<Law['of']> }]),
  )
  expect(checkLaws(bent, workedExamples, omittedExamples).failed).toBeGreaterThan(1000)
})

test('the printed formula is what the function computes', () => {
  const faults = cases.flatMap(({ law, example, input }) => {
    const scope = (name: string): number | readonly number[] | undefined =>
      input[name] ?? law.inputs[name]?.fallback ?? outputOf(law, input, name)?.value
    const omitted = Object.entries(law.inputs).filter(
      ([name, { kind, fallback }]) => kind === 'optional' && fallback === undefined && input[name] === undefined,
    )
    const open = (is: string): boolean => omitted.some(([name]) => new RegExp(`\\b${name}\\b`).test(is))
    return outputs(law).flatMap(([name, is]) => {
      const computed = outputOf(law, input, name)?.value ?? Number.NaN
      const printed = open(is) ? undefined : formulaValue(is, scope)
      return printed === undefined || !Number.isFinite(computed) || near(printed, computed)
        ? []
        : [`${example.id} ${law.id} ${name}: prints ${printed}, computes ${computed}`]
    })
  })
  expect(faults).toEqual([])
})

test('few formulas are prose', () => {
  const prose = laws.flatMap((law) =>
    outputs(law)
      .filter(([, is]) => is.startsWith('text: '))
      .map(([name]) => `${law.id} ${name}`),
  )
  expect(prose.length).toBeLessThan(0.06 * laws.length)
})

test('an input left out counts as its stated default', () => {
  const faults = cases.flatMap(({ law, example, input }) =>
    Object.entries(law.inputs).flatMap(([name, { fallback }]) => {
      if (fallback === undefined || input[name] !== undefined) return []
      const [without, stated] = [outputOf(law, input), outputOf(law, { ...input, [name]: fallback })]
      return Object.is(without?.value, stated?.value)
        ? []
        : [`${example.id} ${law.id} ${name}: ${without?.value} without, ${stated?.value} with ${fallback}`]
    }),
  )
  expect(faults).toEqual([])
})

test('an explanation has the value of the bare call, and so do the parts of a composite', () => {
  const faults = cases.flatMap(({ law, example, input }) => {
    const known = explainedOutput(law, knownInputs(law, input))
    const steps = known?.by.kind === 'law' ? known.by.steps : undefined
    const bare = outputOf(law, input)?.value
    return known && Object.is(known.value, bare) && (steps === undefined || Object.is(steps.value, bare)) ? [] : [example.id]
  })
  expect(faults).toEqual([])
})

test('identity: id, name, decision, source and validity are there, ids are domain/name', () => {
  for (const law of laws) {
    expect(law.id).toMatch(/^[a-z0-9-]+\/[a-z0-9-]+$/)
    for (const text of [law.name, law.decides, law.source, law.validity, law.is]) expect(text.length, law.id).toBeGreaterThan(2)
    expect(`${law.decides}${law.validity}`, law.id).not.toMatch(/\.$/)
  }
})

describe('dimensions', () => {
  /** A law that names a calendar or a kilowatt-hour is tied to that unit. */
  const TIED: Readonly<Record<string, RegExp>> = { s: /day|hour|year|minute|DAY|HOUR|YEAR|MINUTE/, J: /kWh|KWH/ }

  /** Laws that speak per bit, per tonne or per operation, for which there is no base unit. */
  const PER_SOMETHING: Readonly<Record<string, readonly string[]>> = {
    B: ['collective/energy', 'energy/transfer', 'robustness/memory-errors'],
    J: ['energy/flops-per-joule', 'energy/from-work'],
    gCO2e: ['carbon/taxed-cost'],
  }

  const PROSE: ReadonlySet<string> = new Set(['name', 'decides', 'source', 'validity', 'inputs'])

  /** Formulas and functions of a law, without what is only said about it. */
  const textOf = (law: Law): string =>
    JSON.stringify([law], (key, part: unknown) => (typeof part === 'function' ? String(part) : PROSE.has(key) ? undefined : part))

  /** An omitted input whose default is itself a quantity of the dimension: "one byte per value". */
  const leansOnDefault = (law: Law, input: LooseValues, dimension: string): boolean =>
    Object.entries(law.inputs).some(
      ([name, { unit, fallback }]) =>
        input[name] === undefined && fallback !== undefined && fallback !== 0 && fallback !== Infinity && exponent(unit, dimension) !== 0,
    )

  test.each(['s', 'B', 'J', 'USD', 'gCO2e', 'm', 'kg', 'K', 'L', 'V'])(
    'measured in a %s of half the size, every law gives the same answer',
    (dimension) => {
      const faults = cases.flatMap(({ law, input }) => {
        if (TIED[dimension]?.test(textOf(law)) || PER_SOMETHING[dimension]?.includes(law.id) || leansOnDefault(law, input, dimension))
          return []
        const scaled = Object.fromEntries(
          Object.entries(input).map(([name, value]) => [name, rescaled(value, 2 ** exponent(law.inputs[name]?.unit ?? '1', dimension))]),
        )
        return outputs(law).flatMap(([name]) => {
          const [before, after] = [outputOf(law, input, name), outputOf(law, scaled, name)]
          if (!before || !after || !Number.isFinite(before.value)) return []
          return near(after.value, before.value * 2 ** exponent(before.unit, dimension)) ? [] : [`${law.id} ${name}`]
        })
      })
      expect([...new Set(faults)]).toEqual([])
    },
  )

  test('most laws are free of constants with a unit', () => {
    expect(laws.filter((law) => TIED['s']?.test(textOf(law))).length / laws.length).toBeLessThan(0.25)
  })
})

test('a law used outside its validity answers and says so', () => {
  const faults = laws.flatMap((law) => {
    const bounded = Object.entries(law.inputs).find(([, { kind, least, most }]) => kind === 'one' && (least > -Infinity || most < Infinity))
    const sample = cases.find((each) => each.law === law)
    if (!bounded || !sample) return []
    const [name, { least, most }] = bounded
    const input = { ...sample.input, [name]: most < Infinity ? most + 1 : least - 1 }
    return validityProblems(law, input).length > 0 ? [] : [law.id]
  })
  expect(faults).toEqual([])
})

test('every worked example lies inside its law, or its note says why not', () => {
  const stray = cases.filter(({ law, input }) => validityProblems(law, input).length > 0)
  expect(stray.length / cases.length).toBeLessThan(0.03)
})

function outputs(law: Law): [string, string][] {
  return [[law.output, law.is], ...Object.entries(law.also).map(([name, { is }]): [string, string] => [name, is])]
}

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)) + Number.MIN_VALUE

const rescaled = (value: number | readonly number[], factor: number): number | readonly number[] =>
  typeof value === 'number' ? value * factor : value.map((each) => each * factor)

/** The power of a dimension in a base unit: 1 for J in "J", -1 for s in "W". */
function exponent(unit: BaseUnit, dimension: string): number {
  const [top = '', ...below] = unit.replaceAll('W', 'J/s').split('/')
  const power = (part: string): number => {
    const [, symbol, digits] = /^(gCO2e|[A-Za-z]+)(\d*)$/.exec(part) ?? []
    return symbol === dimension ? Number(digits || 1) : 0
  }
  return power(top) - below.reduce((sum, part) => sum + power(part), 0)
}

function knownInputs(law: Law, input: LooseValues): KnownInputs {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]): [string, Known | readonly Known[]] => {
      const unit = law.inputs[name]?.unit ?? '1'
      return [name, typeof value === 'number' ? givenValue(value, unit) : value.map((each) => givenValue(each, unit))]
    }),
  )
}

// Trying out a law: values from one of its worked examples, with the changes made by sliders.

import { outputOf, type Law, type LooseValues } from '@ironlaw/laws'
import { workedExamples } from '@ironlaw/laws/examples'
import { givenValue, type KnownInputs, parse } from '@ironlaw/units'

export type Example = (typeof workedExamples)[number]

export const examplesOf = (law: Law): readonly Example[] => workedExamples.filter((example) => example.law === law.id)

/** `name:value` pairs in base units, as the address has them. */
export function changesOf(written: string): Readonly<Record<string, number>> {
  const pairs = written.split(';').map((pair) => pair.split(':'))
  return Object.fromEntries(
    pairs.flatMap(([name = '', value = '']) => (value !== '' && Number.isFinite(Number(value)) ? [[name, Number(value)]] : [])),
  )
}

export const changesText = (changes: Readonly<Record<string, number>>): string =>
  Object.entries(changes)
    .map(([name, value]) => `${name}:${value}`)
    .join(';')

/** The values of an example; inputs it leaves out have the law's default, or 1 if it has none. */
export function valuesOf(law: Law, example: Example | undefined): LooseValues {
  const entries = Object.entries(law.inputs).flatMap(
    ([name, { unit, kind, fallback, least }]): (readonly [string, LooseValues[string]])[] => {
      const written = example?.given[name]
      const read = (text: string): number => {
        const parsed = parse(text, unit)
        return parsed.ok ? parsed.value : least
      }
      if (typeof written === 'string') return [[name, read(written)]]
      if (written !== undefined) return [[name, written.map(read)]]
      if (kind === 'list') return [[name, [1, 1]]]
      const otherwise = fallback ?? (kind === 'optional' ? undefined : Math.max(1, least))
      return otherwise === undefined || !Number.isFinite(otherwise) ? [] : [[name, otherwise]]
    },
  )
  return Object.fromEntries(entries)
}

export const withChanges = (values: LooseValues, changes: Readonly<Record<string, number>>): LooseValues => ({
  ...values,
  ...Object.fromEntries(Object.entries(changes).filter(([name]) => typeof values[name] === 'number')),
})

export const knownsOf = (law: Law, values: LooseValues): KnownInputs =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const unit = law.inputs[name]?.unit
      if (unit === undefined) return []
      return [[name, typeof value === 'number' ? givenValue(value, unit) : value.map((each) => givenValue(each, unit))]]
    }),
  )

const STEPS = 80
const DECADES = 2

/** The range of a slider: two powers of ten to either side of the example, or the whole range of a share. */
export function ladderOf({ least, most }: Law['inputs'][string], value: number): readonly number[] {
  const even = (from: number, to: number): readonly number[] =>
    Array.from({ length: STEPS + 1 }, (_, at) => from + ((to - from) * at) / STEPS)
  if (most <= 1) return even(Math.max(least, 0), most)
  if (value <= 0) return even(Math.max(least, value - 10), Math.min(most, value + 10))
  const low = Math.max(value / 10 ** DECADES, least > 0 ? least : 0)
  const high = Math.min(value * 10 ** DECADES, most)
  return even(Math.log10(low), Math.log10(high)).map((power, at) =>
    at === STEPS / 2 && low * high === value * value ? value : Number((10 ** power).toPrecision(4)),
  )
}

/** The law's result along one input, where it is finite. */
export const curveOf = (
  law: Law,
  values: LooseValues,
  { name, ladder }: { readonly name: string; readonly ladder: readonly number[] },
): readonly (readonly [number, number])[] =>
  ladder.flatMap((x) => {
    const y = outputOf(law, { ...values, [name]: x })?.value
    return y !== undefined && Number.isFinite(y) ? [[x, y] as const] : []
  })

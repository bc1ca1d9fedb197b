// Worked examples: what each law gives for published figures, with the recomputed value as the expected one.
// They are the laws' tests, the examples on the reference pages and the presets of the console.

import { type BaseUnit, parse, type Quantity } from '@ironlaw/units'
import { outputOf, type Law, type LooseValues } from './law.ts'

export type WorkedExample = {
  readonly id: string
  readonly law: string
  readonly title: string
  readonly source: string
  readonly given: Readonly<Record<string, string | readonly string[]>>
  readonly gives: Readonly<Record<string, string>>
  /** Relative tolerance: 1e-6 for exact inputs, more where an input is itself rounded. */
  readonly within: number
  /** `book-error`: the printed figure does not follow from its inputs. `convention`: it depends on a stated choice. */
  readonly verdict?: 'book-error' | 'convention'
  readonly note?: string
}

/** Examples whose golden law is not a law of the book, by that law, with the reason. */
export type OmittedExamples = Readonly<Record<string, { readonly reason: string; readonly examples: readonly string[] }>>

/** Why an example fails, or undefined when every output is reproduced. */
export function exampleProblem(law: Law, example: WorkedExample): string | undefined {
  const input: Record<string, number | readonly number[]> = {}
  for (const [name, value] of Object.entries(example.given)) {
    const spec = law.inputs[name]
    if (!spec) return `the law has no input ${name}`
    const read = readAll(value, spec.unit)
    if (typeof read === 'string') return `${name}: ${read}`
    input[name] = read
  }
  const missing = Object.keys(law.inputs).find((name) => law.inputs[name]?.kind !== 'optional' && input[name] === undefined)
  if (missing) return `the example lacks the input ${missing}`
  return Object.entries(example.gives)
    .map(([name, want]) => outputProblem(law, input, { name, want, within: example.within }))
    .find(Boolean)
}

type ExpectedOutput = { readonly name: string; readonly want: string; readonly within: number }

function outputProblem(law: Law, input: LooseValues, { name, want, within }: ExpectedOutput): string | undefined {
  const got = outputOf(law, input, name)
  if (!got) return `the law has no output ${name}`
  const wanted = parse(want, got.unit)
  if (!wanted.ok) return `${name}: ${wanted.reason}`
  const gap = Math.abs(got.value - wanted.value)
  return gap <= within * Math.abs(wanted.value) ? undefined : `${name} is ${got.value}, not ${wanted.value} ${got.unit}`
}

function readAll(value: string | readonly string[], unit: BaseUnit): Quantity<BaseUnit> | readonly Quantity<BaseUnit>[] | string {
  if (typeof value === 'string') {
    const parsed = parse(value, unit)
    return parsed.ok ? parsed.value : parsed.reason
  }
  const values: Quantity<BaseUnit>[] = []
  for (const each of value) {
    const parsed = parse(each, unit)
    if (!parsed.ok) return parsed.reason
    values.push(parsed.value)
  }
  return values
}

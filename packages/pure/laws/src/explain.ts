// The derivation of an answer: the same function as the search calls, applied to known quantities. A law used outside
// its validity still answers; the derivation says so, because a planner that throws at the edge of a law cannot
// show a reader where the edge is.

import { type BaseUnit, type Known, type KnownInputs, quantity, show } from '@ironlaw/units'
import type { Input, Inputs, Knowns, Law, LooseValues, Values } from './law.ts'

type Outputs = Readonly<Record<string, BaseUnit>>

export function explain<I extends Inputs, U extends BaseUnit, A extends Outputs>(law: Law<I, U, A>, input: Knowns<I>): Known<U> {
  const { values, from, outside } = lawInputs(law, input)
  const by = { kind: 'law', law: law.id, output: law.output, is: law.is, from, outside } as const
  const steps = law.via?.(input, explain)
  return { value: law.of(values as Values<I>), unit: law.unit, by: steps ? { ...by, steps } : by }
}

/** A further figure of the law, with the law's own result as one of its inputs. */
export function explainAlso<I extends Inputs, U extends BaseUnit, A extends Outputs, K extends keyof A & string>(
  law: Law<I, U, A>,
  input: Knowns<I>,
  name: K,
): Known<A[K]> {
  const result = explain(law, input)
  const { values, from } = lawInputs(law, input)
  const also = law.also[name]
  return {
    value: quantity(also.of(values as Values<I>, result.value), also.unit),
    unit: also.unit,
    by: { kind: 'law', law: law.id, output: name, is: also.is, from: { ...from, [law.output]: result }, outside: [] },
  }
}

/** Any output of a law by name, for inputs whose names are only known at run time; undefined when there is no such output. */
export function explainedOutput(law: Law, input: KnownInputs, output: string = law.output): Known | undefined {
  const knowns = input as Knowns<Inputs>
  if (output === law.output) return explain(law, knowns)
  return Object.hasOwn(law.also, output) ? explainAlso(law, knowns, output) : undefined
}

type LawInputs = { readonly values: LooseValues; readonly from: KnownInputs; readonly outside: readonly string[] }

/** One pass over the inputs, because an explanation of a plan applies thousands of laws. */
function lawInputs<I extends Inputs>(law: Pick<Law<I>, 'inputs' | 'validity' | 'holds'>, input: Knowns<I>): LawInputs {
  const known = input as Readonly<Record<string, Known | readonly Known[] | undefined>>
  const values: Record<string, number | readonly number[]> = {}
  const from: Record<string, Known | readonly Known[]> = {}
  for (const name in law.inputs) {
    const each = known[name]
    const { unit, fallback } = law.inputs[name] as Input
    if (each !== undefined) {
      from[name] = each
      values[name] = isList(each) ? each.map(({ value }) => value) : each.value
    } else if (fallback !== undefined) from[name] = { value: quantity(fallback, unit), unit, by: { kind: 'default' } }
  }
  return { values, from, outside: validityProblems(law, values) }
}

const isList = (known: Known | readonly Known[]): known is readonly Known[] => Array.isArray(known)

/** Why the inputs leave the law's validity, one sentence each; empty inside it. */
export function validityProblems<I extends Inputs>(
  law: Pick<Law<I>, 'inputs' | 'validity' | 'holds'>,
  values: LooseValues,
): readonly string[] {
  const reasons: string[] = []
  for (const name in law.inputs) {
    const value = values[name]
    const input = law.inputs[name] as Input
    if (typeof value === 'number') {
      if (isOutOfRange(value, input)) reasons.push(rangeProblem(name, value, input))
    } else if (value) reasons.push(...value.filter((each) => isOutOfRange(each, input)).map((each) => rangeProblem(name, each, input)))
  }
  return reasons.length === 0 && law.holds?.(values as Values<I>) === false ? [law.validity] : reasons
}

const isOutOfRange = (value: number, { least, most }: Input): boolean => !(value >= least && value <= most)

function rangeProblem(name: string, value: number, { unit, least, most }: Input): string {
  const bound = most === Infinity ? `at least ${least}` : `within ${least} to ${most}`
  return `${name} = ${show(quantity(value, unit), unit)} is not ${bound}`
}

// The derivation of an answer: the same function as the search calls, applied to known quantities. A law used outside
// its validity still answers; the derivation says so, because a planner that throws at the edge of a law cannot
// show anybody where the edge is.

import { type BaseUnit, type Known, type KnownInputs, type Quantity, quantity, show } from '@ironlaw/units'
import type { Input, Inputs, Knowns, Law, Values } from './law.ts'

type Outputs = Readonly<Record<string, BaseUnit>>

export function explain<I extends Inputs, U extends BaseUnit, A extends Outputs>(law: Law<I, U, A>, input: Knowns<I>): Known<U> {
  const values = bareValues(input)
  const by = {
    kind: 'law',
    law: law.id,
    output: law.output,
    is: law.is,
    from: withDefaults(law, input),
    outside: outside(law, values),
  } as const
  const steps = law.via?.(input, explain)
  return { value: law.of(values), unit: law.unit, by: steps ? { ...by, steps } : by }
}

/** A further figure of the law, with the law's own result as one of its inputs. */
export function explainAlso<I extends Inputs, U extends BaseUnit, A extends Outputs, K extends keyof A & string>(
  law: Law<I, U, A>,
  input: Knowns<I>,
  name: K,
): Known<A[K]> {
  const result = explain(law, input)
  const also = law.also[name]
  const from = { ...withDefaults(law, input), [law.output]: result }
  return {
    value: quantity(also.of(bareValues(input), result.value), also.unit),
    unit: also.unit,
    by: { kind: 'law', law: law.id, output: name, is: also.is, from, outside: [] },
  }
}

/** Any output of a law by name, for inputs whose names are only known at run time; undefined when there is no such output. */
export function explained(law: Law, input: KnownInputs, output: string = law.output): Known | undefined {
  const knowns = input as Knowns<Inputs>
  if (output === law.output) return explain(law, knowns)
  return Object.hasOwn(law.also, output) ? explainAlso(law, knowns, output) : undefined
}

/** Why the inputs leave the law's validity, one sentence each; empty inside it. */
export function outside<I extends Inputs>(law: Pick<Law<I>, 'inputs' | 'validity' | 'holds'>, values: Values<I>): readonly string[] {
  const reasons = Object.entries(law.inputs).flatMap(([name, input]) =>
    listed((values as Readonly<Record<string, number | readonly number[] | undefined>>)[name]).flatMap((value) =>
      outOfRange(name, value, input),
    ),
  )
  return reasons.length === 0 && law.holds?.(values) === false ? [law.validity] : reasons
}

function outOfRange(name: string, value: number, { unit, least, most }: Input): string[] {
  if (value >= least && value <= most) return []
  const bound = most === Infinity ? `at least ${least}` : `within ${least} to ${most}`
  return [`${name} = ${show(quantity(value, unit), unit)} is not ${bound}`]
}

const listed = (value: number | readonly number[] | undefined): readonly number[] =>
  value === undefined ? [] : isNumber(value) ? [value] : value

const isNumber = (value: number | readonly number[]): value is number => typeof value === 'number'

function bareValues<I extends Inputs>(input: Knowns<I>): Values<I> {
  const values: Record<string, Quantity<BaseUnit> | readonly Quantity<BaseUnit>[]> = {}
  for (const [name, known] of Object.entries<Known | readonly Known[] | undefined>(input)) {
    if (known === undefined) continue
    values[name] = isList(known) ? known.map((each) => each.value) : known.value
  }
  return values as Values<I>
}

const isList = (known: Known | readonly Known[]): known is readonly Known[] => Array.isArray(known)

function withDefaults<I extends Inputs>(law: Pick<Law<I>, 'inputs'>, input: Knowns<I>): KnownInputs {
  const from: Record<string, Known | readonly Known[]> = {}
  for (const [name, { unit, fallback }] of Object.entries(law.inputs)) {
    const known = (input as Readonly<Record<string, Known | readonly Known[] | undefined>>)[name]
    if (known !== undefined) from[name] = known
    else if (fallback !== undefined) from[name] = { value: quantity(fallback, unit), unit, by: { kind: 'default' } }
  }
  return from
}

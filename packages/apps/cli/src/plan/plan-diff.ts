// Two plans side by side: which decisions and assumptions differ, how the results differ, and which terms of the step changed.

import { STEP_CAUSE_INFO, STEP_CAUSES, type StepCause, type TrainingPlan } from '@ironlaw/contracts'
import { type BaseUnit, quantity, seconds, show, showChange, showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { type LoadedPlan, loadPlan } from './load-plan.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

export async function planDiffAnswer(left: string, right: string, flags: { readonly with?: string } = {}): Promise<CommandAnswer> {
  const catalog = catalogFor(flags.with)
  const [before, after] = [await loadPlan(catalog, left), await loadPlan(catalog, right)]
  const [a, b] = [before.plan, after.plan]
  const decisions = differences(planFields(a), planFields(b))
  const assumptions = assumedDifferently(before, after)
  const figures = figuresOf(a, b)
  const causes = causesOf(a, b)
  const silent = [...(before.assumptions ? [] : [left]), ...(after.assumptions ? [] : [right])]
  return {
    json: {
      left: a.id,
      right: b.id,
      step_left_s: a.prediction.step_s,
      step_right_s: b.prediction.step_s,
      decisions,
      assumptions,
      figures,
      causes,
    },
    text: () =>
      [
        headline(a, b),
        ...section(['what differs', a.id, b.id], [...decisions, ...assumptions].map(differenceRow)),
        ...section(['result', 'before', 'after', 'change'], figures.map(figureRow), [1, 2, 3]),
        ...section(['cause', 'before', 'after', 'change'], causes.map(causeRow), [1, 2, 3]),
      ].join('\n'),
    notes: silent.map(
      (file) => `${file} does not say which network and price its plan rests on; write it again with "ironlaw plan ... --json"`,
    ),
  }
}

const headline = (a: TrainingPlan, b: TrainingPlan): string =>
  a.id === b.id
    ? `${a.id} and ${b.id} are the same plan`
    : `${paint('bold', a.id)} to ${paint('bold', b.id)}: step ${showTime(a.prediction.step_s)} to ${showTime(b.prediction.step_s)} (${showChange(b.prediction.step_s / a.prediction.step_s - 1)})`

const section = (head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[] = []): readonly string[] =>
  rows.length === 0 ? [] : ['', table(head, rows, right)]

const showTime = (value: number): string => show(seconds(value), 's')
const showTimeChange = (value: number): string => `${value < 0 ? '-' : '+'}${showTime(Math.abs(value))}`

type Leaf = string | number | boolean
type Difference = { readonly field: string; readonly left: Leaf | undefined; readonly right: Leaf | undefined }

const differenceRow = ({ field, left, right }: Difference): readonly string[] => [field, String(left ?? ''), String(right ?? '')]

/** Every decision and input of a plan, by path. */
function planFields({ model, tokens, sequence, globalBatch, fleet, decision }: TrainingPlan): ReadonlyMap<string, Leaf> {
  const chosen = { model: model.name, tokens, sequence, globalBatch, ...prefixedFields('fleet', fleet), ...decision }
  return new Map(Object.entries(chosen).filter((entry): entry is [string, Leaf] => entry[1] !== undefined))
}

const prefixedFields = (name: string, fields: Readonly<Record<string, Leaf>>): Record<string, Leaf> =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${name}.${field}`, value]))

function differences(a: ReadonlyMap<string, Leaf>, b: ReadonlyMap<string, Leaf>): readonly Difference[] {
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((field) => ({ field, left: a.get(field), right: b.get(field) }))
    .filter(({ left, right }) => left !== right)
}

/** Leaves out what the plans themselves already hold. */
function assumedDifferently({ assumptions: a, plan }: LoadedPlan, { assumptions: b }: LoadedPlan): readonly Difference[] {
  if (!a || !b) return []
  const known = planFields(plan)
  const texts = (all: NonNullable<LoadedPlan['assumptions']>): ReadonlyMap<string, Leaf> =>
    new Map(all.filter(({ field }) => !known.has(field)).map(({ field, text, source }) => [field, `${text} (${source})`]))
  return differences(texts(a), texts(b))
}

type Figure = { readonly figure: string; readonly unit: BaseUnit; readonly left: number; readonly right: number }

function figuresOf(a: TrainingPlan, b: TrainingPlan): readonly Figure[] {
  const figure = (name: string, unit: BaseUnit, of: (prediction: TrainingPlan['prediction']) => number | undefined): Figure[] => {
    const [left, right] = [of(a.prediction), of(b.prediction)]
    return left === undefined || right === undefined ? [] : [{ figure: name, unit, left, right }]
  }
  return [
    ...figure('step', 's', ({ step_s }) => step_s),
    ...figure('whole run', 's', ({ duration_s }) => duration_s),
    ...figure('MFU', '1', ({ mfu }) => mfu),
    ...figure('memory per device', 'B', ({ memory_bytes }) => memory_bytes),
    ...figure('cost', 'USD', ({ cost_usd }) => cost_usd),
    ...figure('energy', 'J', ({ energy_j }) => energy_j),
  ]
}

function figureRow({ figure, unit, left, right }: Figure): readonly string[] {
  const showValue = (value: number): string => (figure === 'MFU' ? showPercent(value) : show(quantity(value, unit), unit))
  return [figure, showValue(left), showValue(right), left === right ? '' : showChange(right / left - 1)]
}

type CauseChange = { readonly cause: StepCause; readonly left_s: number; readonly right_s: number }

const causesOf = (a: TrainingPlan, b: TrainingPlan): readonly CauseChange[] =>
  STEP_CAUSES.map((cause) => ({ cause, left_s: a.prediction.causes_s[cause] ?? 0, right_s: b.prediction.causes_s[cause] ?? 0 }))
    .filter(({ left_s, right_s }) => left_s !== right_s)
    .toSorted((x, y) => Math.abs(y.right_s - y.left_s) - Math.abs(x.right_s - x.left_s))

const causeRow = ({ cause, left_s, right_s }: CauseChange): readonly string[] => [
  STEP_CAUSE_INFO[cause].words,
  showTime(left_s),
  showTime(right_s),
  showTimeChange(right_s - left_s),
]

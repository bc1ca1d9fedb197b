import { STEP_CAUSES, type TrainingPlan } from '@ironlaw/contracts'
import { seconds, show } from '@ironlaw/units'
import type { Answer } from '../answer.ts'
import { paint } from '../paint.ts'
import { trainingPlanIn } from '../plan-file.ts'
import { table } from '../table.ts'

/** Two plans side by side: what was decided differently, and which term of the step that moved. */
export function planDiffAnswer(left: string, right: string): Answer {
  const [a, b] = [trainingPlanIn(left), trainingPlanIn(right)]
  const decisions = differences(flat(a), flat(b))
  const causes = STEP_CAUSES.map((cause) => ({
    cause,
    left_s: a.prediction.causes_s[cause] ?? 0,
    right_s: b.prediction.causes_s[cause] ?? 0,
  }))
    .filter(({ left_s, right_s }) => left_s !== right_s)
    .toSorted((x, y) => Math.abs(y.right_s - y.left_s) - Math.abs(x.right_s - x.left_s))
  return {
    json: { left: a.id, right: b.id, step_left_s: a.prediction.step_s, step_right_s: b.prediction.step_s, decisions, causes },
    text: () =>
      [
        a.id === b.id
          ? `${a.id} and ${b.id} are the same plan`
          : `${paint('bold', a.id)} to ${paint('bold', b.id)}: step ${time(a.prediction.step_s)} to ${time(b.prediction.step_s)} (${signed(b.prediction.step_s / a.prediction.step_s - 1)})`,
        ...(decisions.length > 0
          ? [
              '',
              table(
                ['what differs', a.id, b.id],
                decisions.map(({ field, left: from, right: to }) => [field, String(from), String(to)]),
              ),
            ]
          : []),
        ...(causes.length > 0
          ? [
              '',
              table(
                ['cause', 'before', 'after', 'change'],
                causes.map(({ cause, left_s, right_s }) => [cause, time(left_s), time(right_s), change(right_s - left_s)]),
                [1, 2, 3],
              ),
            ]
          : []),
      ].join('\n'),
  }
}

const time = (value: number): string => show(seconds(value), 's')
const change = (value: number): string => `${value < 0 ? '-' : '+'}${time(Math.abs(value))}`
const signed = (share: number): string => `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)} %`

type Leaf = string | number | boolean

/** Everything of a plan that somebody chose or was given, by path. */
function flat({ model, tokens, sequence, globalBatch, fleet, decision }: TrainingPlan): ReadonlyMap<string, Leaf> {
  const chosen = { model: model.name, tokens, sequence, globalBatch, ...prefixed('fleet', fleet), ...decision }
  return new Map(Object.entries(chosen).filter((entry): entry is [string, Leaf] => entry[1] !== undefined))
}

const prefixed = (name: string, fields: Readonly<Record<string, Leaf>>): Record<string, Leaf> =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${name}.${field}`, value]))

function differences(
  a: ReadonlyMap<string, Leaf>,
  b: ReadonlyMap<string, Leaf>,
): { field: string; left: Leaf | undefined; right: Leaf | undefined }[] {
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((field) => ({ field, left: a.get(field), right: b.get(field) }))
    .filter(({ left, right }) => left !== right)
}

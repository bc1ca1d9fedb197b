// Two runs side by side: what they were made of, what came of them, and how far apart runs of one recipe are.

import type { Ledger } from '@ironlaw/contracts/ledger'
import type { StepRow } from '@ironlaw/contracts/report'
import { MOST_FIELD_DIFFERENCES, type ResultDifference, type RunDiff } from '@ironlaw/contracts/run-diff'
import { fieldDifferences, judgeByRepetitions, judgeBySteps, unknownParts } from '@ironlaw/policies/run'
import { type Database, type Pace, pacesOf, planOf, repetitionsOf, type Run, stepsWithin, vitalsOf } from '@ironlaw/store'
import { runLedger } from '../ledger/run-ledger.ts'
import { originView } from './origin-view.ts'

const MOST_REPETITIONS = 100
/** As the view of a run takes its pace and loss. */
const RECENT_BATCHES = 8
/** Of reports: a program that reports each step has as many as there are steps. */
const MOST_BATCHES = 4096
/** The last tenth of the steps that both did, within these bounds. */
const COMPARED_STEPS = { share: 0.1, least: 200, most: 2000 } as const

export async function runDiff(database: Database, [first, second]: readonly [Run, Run], now: number): Promise<RunDiff> {
  const [before, after, measures, ledgers] = await Promise.all([
    describedRun(database, first),
    describedRun(database, second),
    measuredDifferences(database, first, second),
    Promise.all([runLedger(database, first, now), runLedger(database, second, now)]),
  ])
  const differences = fieldDifferences(before, after)
  return {
    from: first.id,
    to: second.id,
    same_recipe: isSameRecipe(first, second),
    unknown: [...unknownParts(before), ...unknownParts(after)],
    differences: differences.slice(0, MOST_FIELD_DIFFERENCES),
    more: Math.max(0, differences.length - MOST_FIELD_DIFFERENCES),
    results: [...measures, ...ledgerDifferences(...ledgers)],
  }
}

const isSameRecipe = (first: Run, second: Run): boolean => first.recipe !== null && first.recipe === second.recipe

async function describedRun(database: Database, run: Run) {
  const [origin, plan] = await Promise.all([originView(database, run), planOf(database, run.plan_id)])
  return { origin, ...(plan && { plan: { ...plan.body } }) }
}

type Measure = {
  readonly name: string
  readonly unit: string
  /** At the end, as the view of a run has it. */
  readonly ofPace: (pace: Pace) => number | null
  readonly ofStep: (step: StepRow) => number | null | undefined
}

const MEASURES: readonly Measure[] = [
  { name: 'loss', unit: 'nats', ofPace: ({ loss, tells_loss }) => (tells_loss ? loss : null), ofStep: ({ loss }) => loss },
  { name: 'step time', unit: 's', ofPace: ({ step_s }) => step_s, ofStep: ({ seconds }) => seconds },
]

async function measuredDifferences(database: Database, first: Run, second: Run): Promise<readonly ResultDifference[]> {
  const groups = await repeatedRuns(database, first, second)
  const ids = [...new Set([first.id, second.id, ...groups.flat()])]
  const paces = await pacesOf(database, { run_ids: ids, batches: RECENT_BATCHES })
  const [before, after] = [paces.get(first.id), paces.get(second.id)]
  if (!before || !after) return []
  const steps = await comparedSteps(database, first, second)
  return MEASURES.flatMap(({ name, unit, ofPace, ofStep }) => {
    const [one, other] = [ofPace(before), ofPace(after)]
    if (one === null || other === null) return []
    const values = groups.map((group) => group.flatMap((id) => valueOf(paces.get(id), ofPace)))
    const difference = other - one
    const repeated = judgeByRepetitions(difference, values)
    if (repeated) return [{ measure: name, unit, before: one, after: other, difference, judged: repeated }]
    const both = steps.flatMap(([a, b]) => pairOf(ofStep(a), ofStep(b)))
    const byStep = judgeBySteps(both.map(([a, b]) => b - a))
    if (!byStep) return [{ measure: name, unit, before: one, after: other, difference }]
    return [{ measure: name, unit, before: meanOf(both.map(([a]) => a)), after: meanOf(both.map(([, b]) => b)), ...byStep }]
  })
}

const valueOf = (pace: Pace | undefined, of: Measure['ofPace']): readonly number[] => {
  const value = pace && of(pace)
  return value == null ? [] : [value]
}

const pairOf = (before: number | null | undefined, after: number | null | undefined): readonly (readonly [number, number])[] =>
  before == null || after == null ? [] : [[before, after]]

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Runs that reached their end, by recipe; what they came to halfway says nothing of how far apart equal runs end. */
async function repeatedRuns(database: Database, first: Run, second: Run): Promise<readonly (readonly string[])[]> {
  const runs = isSameRecipe(first, second) ? [first] : [first, second]
  if ([first, second].some(({ state }) => state !== 'succeeded')) return []
  return Promise.all(
    runs.map(async (run) => {
      if (run.recipe === null) return [run.id]
      const others = await repetitionsOf(database, { run, recipe: run.recipe, limit: MOST_REPETITIONS })
      return [run.id, ...others.filter(({ state }) => state === 'succeeded').map(({ id }) => id)]
    }),
  )
}

/** Steps that both did, near the last of them. A step that was done again counts as it was done last. */
async function comparedSteps(database: Database, first: Run, second: Run): Promise<readonly (readonly [StepRow, StepRow])[]> {
  const vitals = await vitalsOf(database, [first.id, second.id])
  const ends = [first, second].map(({ id }) => Math.max(0, ...(vitals.get(id) ?? []).map(({ last_step }) => last_step ?? 0)))
  const to = Math.min(...ends)
  const count = Math.min(COMPARED_STEPS.most, Math.max(COMPARED_STEPS.least, Math.floor(to * COMPARED_STEPS.share)))
  const range = { from: Math.max(0, to - count), to, limit: MOST_BATCHES }
  const [one, other] = await Promise.all([stepsOf(database, first.id, range), stepsOf(database, second.id, range)])
  return [...one.keys()]
    .toSorted((a, b) => a - b)
    .flatMap((step) => {
      const [a, b] = [one.get(step), other.get(step)]
      return a && b ? [[a, b] as const] : []
    })
}

async function stepsOf(
  database: Database,
  run_id: string,
  range: Parameters<typeof stepsWithin>[2],
): Promise<ReadonlyMap<number, StepRow>> {
  const batches = await stepsWithin(database, run_id, range)
  return new Map(
    batches.flatMap(({ rows }) =>
      rows.flatMap((row) => (row.step >= range.from && row.step <= range.to ? [[row.step, row] as const] : [])),
    ),
  )
}

/** Time by cause and money. How far apart equal runs are in them is not known: their ledgers are not read. */
function ledgerDifferences(before: Ledger, after: Ledger): readonly ResultDifference[] {
  const seconds = new Map(after.causes.map(({ cause, accelerator_s }) => [cause, accelerator_s]))
  const causes = before.causes.map(({ cause, accelerator_s }) => ({
    measure: cause,
    unit: 'accelerator s',
    before: accelerator_s,
    after: seconds.get(cause) ?? 0,
  }))
  const [cost, otherCost] = [before.cost_usd, after.cost_usd]
  return [
    ...(cost === undefined || otherCost === undefined ? [] : [{ measure: 'cost', unit: 'USD', before: cost, after: otherCost }]),
    { measure: 'wall time', unit: 's', before: before.wall_s, after: after.wall_s },
    ...causes.filter((each) => each.before > 0 || each.after > 0),
  ].map((each) => ({ ...each, difference: each.after - each.before }))
}

// The choice that a planner is for: among layouts that a source measured of the same run, does it pick the fastest, and what does a wrong pick
// cost? And the best plan of a search from scratch against the best that was measured: the search picks what the model errs in favour of.

import type { Catalog } from '@ironlaw/catalog'
import { quantile } from '@ironlaw/laws/quantile'
import { memoryLimit } from '../machine/machine-for.ts'
import type { Machine } from '../machine/machine.ts'
import { divisionLimits } from '../training/search/legality.ts'
import { search, WHOLE_SPACE } from '../training/search/search.ts'
import { devicesOf, type Strategy } from '../training/strategy.ts'
import type { Case } from './case.ts'

export type Prediction = { readonly asked: Case; readonly machine: Machine; readonly predicted_s: number }

export type DecisionSet = {
  readonly name: string
  /** Runs of which two layouts or more were measured. */
  readonly runs: number
  readonly layouts: number
  /** Share of runs whose fastest layout is predicted fastest. */
  readonly picked: number
  /** Share of pairs of layouts that are predicted in their order. */
  readonly ordered: number
  /** How much longer the step of the picked layout is than that of the fastest. */
  readonly regret: { readonly mean: number; readonly p90: number; readonly most: number }
  readonly promise: Promised
}

/** Predicted step of the best plan over the measured step of the best layout; `inside` is the share within `PROMISE`. */
export type Promised = {
  readonly runs: number
  readonly low: number
  readonly median: number
  readonly high: number
  readonly inside: number
}

/** The promise of the best plan should lie in this range. */
export const PROMISE = { least: 0.85, most: 1.15 } as const

const RECIPES = 'published sweeps, experts'

/** Layouts that make a sweep wide. */
const WIDE = 8

/** Runs with experts of which one layout was published: recipes that their authors tuned. */
export const promisedRecipes = (catalog: Catalog, predictions: readonly Prediction[]): Promised =>
  promised(
    catalog,
    layoutsByRun(predictions).filter(([first, second]) => first !== undefined && second === undefined && setOf(first) === RECIPES),
  )

const hasExperts = ({ job }: Case): boolean => divisionLimits(job).experts > 1

const layoutsByRun = (predictions: readonly Prediction[]): readonly (readonly Prediction[])[] =>
  [...Map.groupBy(predictions, ({ asked: { question } }) => question).values()].map(fastestOfEach)

export function decisionSets(catalog: Catalog, predictions: readonly Prediction[]): readonly DecisionSet[] {
  const runs = layoutsByRun(predictions).filter(({ length }) => length > 1)
  return [...Map.groupBy(runs, ([first]) => (first ? setOf(first) : ''))]
    .map(([name, members]) => decisionSet(name, { catalog, members }))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

function setOf({ asked }: Prediction): string {
  const { source } = asked
  if (source.startsWith('vtrain')) return source === 'vtrain-single' ? 'vTrain, one node' : 'vTrain, many nodes'
  const kind = hasExperts(asked) ? 'experts' : 'dense'
  return source === 'simumax' ? `SimuMax, ${kind}` : `published sweeps, ${kind}`
}

/** Of runs with the same layout, whose settings the planner does not tell apart, the fastest. */
const fastestOfEach = (run: readonly Prediction[]): readonly Prediction[] =>
  [...Map.groupBy(run, ({ asked }) => JSON.stringify(asked.strategy)).values()].flatMap((same) =>
    same.toSorted((a, b) => measuredOf(a) - measuredOf(b)).slice(0, 1),
  )

const measuredOf = ({ asked }: Prediction): number => asked.measured.step_s

type DecisionInputs = { readonly catalog: Catalog; readonly members: readonly (readonly Prediction[])[] }

function decisionSet(name: string, { catalog, members }: DecisionInputs): DecisionSet {
  const regrets = members.map(regretOf)
  const pairs = members.flatMap(pairsInOrder)
  return {
    name,
    runs: members.length,
    layouts: members.reduce((sum, { length }) => sum + length, 0),
    picked: shareOf(regrets, (regret) => regret === 0),
    ordered: shareOf(pairs, Boolean),
    regret: {
      mean: regrets.reduce((sum, regret) => sum + regret, 0) / regrets.length,
      p90: quantile(
        regrets.toSorted((a, b) => a - b),
        0.9,
      ),
      most: Math.max(...regrets),
    },
    promise: promised(catalog, members),
  }
}

const shareOf = <T>(all: readonly T[], holds: (one: T) => boolean): number => all.filter(holds).length / all.length

function promised(catalog: Catalog, runs: readonly (readonly Prediction[])[]): Promised {
  const ratios = runs.flatMap((run) => promiseOf(catalog, run) ?? []).toSorted((a, b) => a - b)
  return {
    runs: ratios.length,
    low: ratios[0] ?? Number.NaN,
    median: quantile(ratios, 0.5),
    high: ratios.at(-1) ?? Number.NaN,
    inside: shareOf(ratios, (ratio) => ratio >= PROMISE.least && ratio <= PROMISE.most),
  }
}

function regretOf(run: readonly Prediction[]): number {
  const picked = run.reduce((best, one) => (one.predicted_s < best.predicted_s ? one : best))
  return measuredOf(picked) / Math.min(...run.map(measuredOf)) - 1
}

/** How tokens reach experts is the recipe's. */
const expertSettings = ({ dispatcher, expertOverlap = false }: Strategy): Partial<Strategy> =>
  dispatcher === undefined ? {} : { dispatcher, expertOverlap }

const pairsInOrder = (run: readonly Prediction[]): readonly boolean[] =>
  run.flatMap((one, at) => run.slice(at + 1).map((other) => one.predicted_s < other.predicted_s === measuredOf(one) < measuredOf(other)))

/**
 * The search is free in every number: tensor, pipeline, expert and data ranks, chunks, microbatch. Whether to recompute, shard, interleave or divide
 * sequences is as in the sweep: what its software could not do in its year is no merit of a plan. Where a source measured many layouts, those are
 * the space: what a wide sweep leaves out may be as good as predicted, and nobody can tell.
 */
function promiseOf(catalog: Catalog, run: readonly Prediction[]): number | undefined {
  const best = run.reduce((fastest, one) => (measuredOf(one) < measuredOf(fastest) ? one : fastest))
  if (run.length >= WIDE) return Math.min(...run.map(({ predicted_s }) => predicted_s)) / measuredOf(best)
  const { asked, machine } = best
  const limit = asked.memory_bytes ?? memoryLimit(catalog, asked.choice.accelerator)
  const strategies = run.map((one) => one.asked.strategy)
  const shards = [...new Set(strategies.map((each) => each.shards))]
  const divided = strategies.filter(({ tensor }) => tensor > 1)
  const { best: plans, tight } = search(
    { machine, job: asked.job },
    {
      fleet: { devices: devicesOf(asked.strategy), perNode: machine.fabric.perNode },
      limits: { memory_bytes: limit, keep: 1 },
      space: {
        ...WHOLE_SPACE,
        fixed: expertSettings(asked.strategy),
        recompute: [
          ...new Set(strategies.flatMap(({ recompute }) => (recompute === 'selective' ? ['none' as const, recompute] : [recompute]))),
        ],
        // The search shards gradients with the optimizer.
        shards: shards.includes('gradients') ? [...new Set([...shards, 'optimizer' as const])] : shards,
        contextMost: strategies.some(({ context }) => context > 1) ? WHOLE_SPACE.contextMost : 1,
        virtual: strategies.some(({ virtual }) => virtual > 1) ? WHOLE_SPACE.virtual : [1],
        sequenceParallel: divided.some(({ sequenceParallel }) => sequenceParallel) || divided.length === 0 ? [true, false] : [false],
      },
    },
  )
  const plan = plans[0] ?? tight[0]
  return plan && plan.step_s / measuredOf(best)
}

// `ironlaw simulate`: many simulated runs of a plan with failures and recovery, and the table that compares closed forms with it.

import type { Catalog } from '@ironlaw/catalog'
import { IronlawError, quantityOf, type TrainingPlan } from '@ironlaw/contracts'
import { answerTraining } from '@ironlaw/planner'
import {
  bestMix,
  offersFor,
  planCampaign,
  reliabilityDecisions,
  type ReliabilityForecast,
  reliabilityForecast,
  statedFailures,
} from '@ironlaw/simulator'
import { checkpointTable, FIRST_ORDER_HOLDS, type TableCell } from '@ironlaw/simulator/validation'
import { seconds, show, showChange } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { readDocument } from '../input-file.ts'
import { readTrainingPlan } from '../plan/plan-file.ts'
import { table } from '../table.ts'
import { readTraining } from '../plan/train-source.ts'
import { wholeNumber } from '../whole-number.ts'
import { bins, type MixAnswer, simulationText } from './simulate-text.ts'

export type SimulateFlags = {
  readonly replicas: string
  readonly seed: string
  readonly storage?: string
  readonly spares?: string
  readonly interval?: string
  readonly deadline?: string
  readonly with?: string
}

/** Replicas per question when many are asked; all share the same failures, so few are enough. */
const MIX_TRIALS = 20

/** Meets the deadline in nine of ten cases. */
const CONFIDENCE = 0.9

export function simulateRunAnswer(file: string, flags: SimulateFlags): CommandAnswer {
  const catalog = catalogFor(flags.with)
  const { plan, stated } = readPlan(catalog, file)
  const seed = wholeNumber('--seed', flags.seed)
  const choices = {
    ...stated,
    ...(flags.storage !== undefined && { storage: flags.storage }),
    ...(flags.spares !== undefined && { spares: wholeNumber('--spares', flags.spares) }),
    ...(flags.interval !== undefined && { interval_s: quantityOf(flags.interval, 's') }),
  }
  const half = reliabilityForecast(catalog, plan, { ...choices, seed, replicas: wholeNumber('--replicas', flags.replicas) })
  const decisions = reliabilityDecisions(catalog, plan, { ...choices, seed, replicas: MIX_TRIALS })
  const deadline_s = flags.deadline === undefined ? undefined : quantityOf(flags.deadline, 's')
  const mix = deadline_s === undefined ? undefined : mixFor({ catalog, plan, deadline_s, seed, stated })
  return {
    json: {
      ...half,
      outcome: withoutWalls(half),
      range: rangeWithoutWalls(half),
      histogram: bins(half.range.walls_s),
      decisions,
      ...(mix && { mix }),
    },
    text: () => simulationText({ half, decisions, ...(mix && { mix }) }),
  }
}

/** A thousand wall times would hide the answer; the histogram summarizes them. Failures are listed separately, by name. */
function withoutWalls({ outcome }: ReliabilityForecast): unknown {
  const { walls_s: _, failures: _byIndex, ...rest } = outcome
  return rest
}

function rangeWithoutWalls({ range }: ReliabilityForecast): unknown {
  const { walls_s: _, ...rest } = range
  return rest
}

type MixRequest = {
  readonly catalog: Catalog
  readonly plan: TrainingPlan
  readonly deadline_s: number
  readonly seed: number
  readonly stated: StatedFailures
}

/** The offers say which nodes may be taken away. */
function mixFor({ catalog, plan, deadline_s, seed, stated: { spot, ...stated } }: MixRequest): MixAnswer {
  const { campaign } = planCampaign(catalog, plan, stated)
  const offers = offersFor(catalog, plan.fleet.accelerator, spot)
  return { deadline_s, ...bestMix(campaign, { offers, deadline_s, confidence: CONFIDENCE }, { replicas: MIX_TRIALS, seed }) }
}

/** A bare plan, the first plan of `ironlaw plan --json` output, or the best plan of a training spec. */
function readPlan(catalog: Catalog, file: string): PlanWithFailures {
  const document = readDocument(file)
  const isSpec = typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'Train'
  return isSpec ? planSpec(catalog, file) : { plan: readTrainingPlan(file), stated: {} }
}

type StatedFailures = ReturnType<typeof statedFailures>
type PlanWithFailures = { readonly plan: TrainingPlan; readonly stated: StatedFailures }

function planSpec(catalog: Catalog, file: string): PlanWithFailures {
  const request = readTraining(catalog, file, {})
  const { best } = answerTraining(catalog, request, { keep: 1 })
  if (!best)
    throw new IronlawError('IL_USAGE', { problem: `${file}: no plan fits; "ironlaw plan ${file}" says why`, command: 'simulate run' })
  return { plan: best.plan, stated: statedFailures(request.spec) }
}

export function checkpointTableAnswer(flags: { readonly seed: string }): CommandAnswer {
  const cells = checkpointTable(wholeNumber('--seed', flags.seed))
  return {
    json: { cells, first_order_holds_below: FIRST_ORDER_HOLDS },
    text: () =>
      [
        'Overhead of checkpoints and failures at the Young-Daly interval, of useful time',
        '',
        table(
          ['MTBF', 'write', 'interval', 'first order', '', "Daly's cost function", '', 'simulated'],
          cells.map(tableRow),
          [1, 2, 3, 4, 5, 6, 7],
        ),
        '',
        `The complete cost function is within ${precisePercent(worst(cells, ({ completeError }) => completeError))} of the simulation everywhere; it assumes memoryless failures only.`,
        `The first order is within ${precisePercent(worst(cells.filter(isFirstOrderValid), ({ firstOrderError }) => firstOrderError))} where a write takes less than 1/${Math.round(1 / FIRST_ORDER_HOLDS).toLocaleString('en')} of the time between failures. Above (*) it is too low, by up to`,
        `${precisePercent(worst(cells, ({ firstOrderError }) => firstOrderError))}: it leaves out failures during rework and writes, which grow with the square root of write over MTBF.`,
      ].join('\n'),
  }
}

const isFirstOrderValid = ({ write_s, mtbf_s }: TableCell): boolean => write_s / mtbf_s < FIRST_ORDER_HOLDS
const worst = (cells: readonly TableCell[], error: (cell: TableCell) => number): number =>
  Math.max(...cells.map((each) => Math.abs(error(each))))
const precisePercent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`

const tableRow = (cell: TableCell): string[] => [
  show(seconds(cell.mtbf_s), 's'),
  show(seconds(cell.write_s), 's'),
  show(seconds(cell.interval_s), 's'),
  precisePercent(cell.firstOrder),
  `${isFirstOrderValid(cell) ? ' ' : '*'}${showChange(cell.firstOrderError)}`,
  precisePercent(cell.complete),
  showChange(cell.completeError),
  precisePercent(cell.simulated),
]

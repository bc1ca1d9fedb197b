import { dirname } from 'node:path'
import { STEP_CAUSE_INFO, STEP_CAUSES, type StepCause } from '@ironlaw/contracts'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { answerSteps, type PlannedTraining } from '@ironlaw/planner'
import { dollars, seconds, show, showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { paint } from '../paint.ts'
import { progressLine } from '../progress.ts'
import { searchInPool } from './search-pool.ts'
import { fieldValues, withField } from './field-values.ts'
import { table } from '../table.ts'
import { specDocument, trainingRequestFor } from './train-source.ts'

export type WhatIfFlags = { readonly set: string; readonly csv?: true; readonly with?: string }

type Point = { readonly value: string | number; readonly best: PlannedTraining | undefined }

/** The best plan at every value of one field: what changes and, if nothing does, what binds. */
export async function whatIfAnswer(file: string, flags: WhatIfFlags): Promise<CommandAnswer> {
  const catalog = catalogFor(flags.with)
  const document = specDocument(file)
  const { path, values } = fieldValues(flags.set)
  const line = progressLine('strategies tried')
  const points: Point[] = []
  for (const value of values) {
    const request = trainingRequestFor(catalog, parseTrainSpec(withField(document, path, value), file), dirname(file))
    const setup = { machine: request.machine, job: request.wanted.job }
    const { best } = await searchInPool(setup, answerSteps(catalog, request, 1), { progress: line.tick })
    points.push({ value, best })
  }
  line.clear()
  return {
    json: {
      path,
      points: points.map(({ value, best }) => ({
        value,
        plan: best?.plan.id,
        step_s: best?.step.total,
        duration_s: best?.plan.prediction.duration_s,
        cost_usd: best?.plan.prediction.cost_usd,
        binds: best && bindingCause(best),
      })),
    },
    text: () => (flags.csv ? csv(path, points) : [plot(path, points), '', verdict(path, points)].join('\n')),
  }
}

const bindingCause = ({ step }: PlannedTraining): StepCause =>
  STEP_CAUSES.reduce((largest, cause) => (step.causes[cause] > step.causes[largest] ? cause : largest))

function csv(path: string, points: readonly Point[]): string {
  const rows = points.map(({ value, best }) =>
    [
      value,
      best?.step.total ?? '',
      best?.plan.prediction.duration_s ?? '',
      best?.plan.prediction.cost_usd ?? '',
      best ? bindingCause(best) : '',
    ].join(','),
  )
  return [`${path},step_s,duration_s,cost_usd,binds`, ...rows].join('\n')
}

const BAR = 40

function plot(path: string, points: readonly Point[]): string {
  const longest = Math.max(...points.map(({ best }) => best?.plan.prediction.duration_s ?? 0))
  const rows = points.map(({ value, best }) => {
    if (!best) return [String(value), 'nothing fits', '', '', '', '']
    const { duration_s, cost_usd, mfu } = best.plan.prediction
    return [
      String(value),
      show(seconds(best.step.total), 's'),
      show(seconds(duration_s), 's'),
      cost_usd === undefined ? '' : show(dollars(cost_usd), 'USD'),
      showPercent(mfu),
      paint('cyan', '█'.repeat(Math.max(1, Math.round((BAR * duration_s) / longest)))),
    ]
  })
  return table([path, 'step', 'whole run', 'cost', 'MFU', ''], rows, [0, 1, 2, 3, 4])
}

/** Smaller changes are within the error of the model. */
const NEGLIGIBLE_CHANGE = 0.01

function verdict(path: string, points: readonly Point[]): string {
  const found = points.flatMap(({ best }) => (best ? [best] : []))
  const [first, last] = [found[0], found.at(-1)]
  if (!first || !last) return 'nothing fits at any of these values'
  const gain = last.plan.prediction.duration_s / first.plan.prediction.duration_s - 1
  if (Math.abs(gain) > NEGLIGIBLE_CHANGE) return `${path} moves the whole run by ${showPercent(gain)} over the range`
  const dearer = (last.plan.prediction.cost_usd ?? 0) / (first.plan.prediction.cost_usd ?? 1) - 1
  if (Math.abs(dearer) > NEGLIGIBLE_CHANGE) return `${path} moves the cost by ${showPercent(dearer)} over the range, but not the time`
  const cause = bindingCause(last)
  return `${path} moves nothing: ${STEP_CAUSE_INFO[cause].words} binds, ${((100 * last.step.causes[cause]) / last.step.total).toFixed(0)} % of the step`
}

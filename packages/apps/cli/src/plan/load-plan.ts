// One side of a comparison: a plan from a file or the control plane, or a spec that is planned now, with its assumptions.

import { existsSync } from 'node:fs'
import type { Catalog } from '@ironlaw/catalog'
import { IronlawError, type TrainingPlan } from '@ironlaw/contracts'
import { answerSteps, type Assumption } from '@ironlaw/planner'
import * as z from 'zod'
import { readDocument } from '../input-file.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { parseTrainingPlan, readTrainingPlan } from './plan-file.ts'
import { progressLine } from '../progress.ts'
import { searchInPool } from './search-pool.ts'
import { readTraining } from './train-source.ts'

export type LoadedPlan = {
  readonly plan: TrainingPlan
  /** Undefined if the file holds only a plan. */
  readonly assumptions: readonly Pick<Assumption, 'field' | 'text' | 'source'>[] | undefined
}

const PLAN_DOCUMENT = z.object({
  assumptions: z.array(z.object({ field: z.string(), text: z.string(), source: z.enum(['given', 'assumed', 'measured']) })).optional(),
})

/** As shown by `get`, `describe` and the plan itself. */
const PLAN_ID = /^plan-[0-9a-f]{12}$/

export async function loadPlan(catalog: Catalog, file: string): Promise<LoadedPlan> {
  if (PLAN_ID.test(file) && !existsSync(file)) return fetchPlan(file)
  const document = readDocument(file)
  const fields = typeof document === 'object' && document !== null ? document : {}
  if ('plans' in fields || 'prediction' in fields) {
    const beside = PLAN_DOCUMENT.safeParse(fields)
    return { plan: readTrainingPlan(file), assumptions: beside.success ? beside.data.assumptions : undefined }
  }
  if (!('kind' in fields) || fields.kind !== 'Train')
    throw new IronlawError('IL_DOCUMENT', {
      path: file,
      reason: 'it holds neither a training spec nor a training plan; give a spec of kind Train, or what "ironlaw plan ... --json" printed',
    })
  return planNow(catalog, file)
}

/** Fetches a plan stored by the control plane. */
async function fetchPlan(id: string): Promise<LoadedPlan> {
  const { kind, body } = await api(context()).getPlan({ id })
  if (kind === 'TrainingPlan') return { plan: parseTrainingPlan(body, id), assumptions: undefined }
  throw new IronlawError('IL_USAGE', { problem: `${id} is a ${kind}; only training plans are compared`, command: 'plan diff' })
}

async function planNow(catalog: Catalog, file: string): Promise<LoadedPlan> {
  const request = readTraining(catalog, file, {})
  const line = progressLine('strategies tried')
  const setup = { machine: request.machine, job: request.wanted.job }
  const { best, nothing } = await searchInPool(setup, answerSteps(catalog, request, 1), { progress: line.tick }).finally(line.clear)
  if (best) return { plan: best.plan, assumptions: request.assumptions }
  throw new IronlawError('IL_USAGE', {
    problem: `${file} has no plan to compare: ${nothing ? `${nothing.why}; ${nothing.change}` : 'nothing fits'}`,
    command: 'plan diff',
  })
}

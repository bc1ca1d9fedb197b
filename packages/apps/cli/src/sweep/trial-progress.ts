// The trials of a sweep as the control plane has them. Nothing is kept here between two commands: trials are found by their names.

import { isTerminal } from '@ironlaw/contracts'
import type { RunView, StepView } from '@ironlaw/contracts/api'
import type { AnswerOf } from '@ironlaw/contracts/api-client'
import { lossAt, type StepLoss, type Trial } from '@ironlaw/policies/sweep'
import { api } from '../api/api-client.ts'
import type { Context } from '../context/context.ts'
import type { TrialRequest } from './sweep-source.ts'

export type TrialProgress = {
  readonly request: TrialRequest
  readonly run: RunView
  readonly steps: readonly StepLoss[]
  /** Of all steps that were reported, with a loss or without. */
  readonly step: number
  readonly cursor?: string
}

/** Other runs of that name may be older. */
const NAMESAKES = 20

/** The run that was created for a trial before. */
export async function findTrial(to: Context, { body }: TrialRequest): Promise<RunView | undefined> {
  const { items } = await api(to).listRuns({ query: { name: body.name, limit: NAMESAKES } })
  return items.find(
    ({ project, plan, argv }) => project === body.project && plan === body.plan.id && argv.join('\0') === body.program.argv.join('\0'),
  )
}

export const createTrial = async (to: Context, { body, key }: TrialRequest): Promise<RunView> =>
  await api(to).createRun({ body, headers: { 'idempotency-key': key } })

export const firstProgress = (request: TrialRequest, run: RunView): TrialProgress => ({ request, run, steps: [], step: 0 })

/** With what was reported since; the run is read first, so that an ended one has no steps to come. */
export async function readProgress(to: Context, before: TrialProgress): Promise<TrialProgress> {
  const { items } = await api(to).listRuns({ query: { name: before.run.id, limit: 1 } })
  const progress = { ...before, run: items[0] ?? before.run }
  const reported = await readSteps(to, progress)
  const last = reported.at(-1)
  if (!last) return progress
  // Steps that are taken again after a failure replace what was reported of them.
  const from = reported.reduce((least, { step }) => Math.min(least, step), last.step)
  const losses = reported.flatMap(({ step, loss }) => (loss === undefined ? [] : [{ step, loss: loss ?? Infinity }]))
  return {
    ...progress,
    steps: [...before.steps.filter(({ step }) => step < from), ...losses],
    step: Math.max(before.step, last.step),
    cursor: last.cursor,
  }
}

async function readSteps(to: Context, { run, cursor }: TrialProgress): Promise<readonly StepView[]> {
  const found: StepView[] = []
  for (let after = cursor; ; after = found.at(-1)?.cursor) {
    const { items, next }: AnswerOf<'listSteps'> = await api(to).listSteps({
      id: run.id,
      query: { limit: 1000, ...(after !== undefined && { after }) },
    })
    found.push(...items)
    if (next === null || items.length === 0) return found
  }
}

/** For the policy: the losses at the rungs that a trial has reached. One that diverged is at every rung, and behind. */
export function trialOf({ request, run, steps }: TrialProgress, rungs: readonly number[]): Trial {
  const losses: number[] = []
  for (const rung of rungs) {
    const loss = lossAt(steps, rung) ?? (hasDiverged(run) ? Infinity : undefined)
    if (loss === undefined) break
    losses.push(loss)
  }
  return { trial: request.trial, isLive: !isTerminal(run.state), losses }
}

const hasDiverged = ({ state, outcome }: RunView): boolean => state === 'failed' && outcome?.cause === 'bad-loss'

/** Mean over the last tenth of what it did. */
export const reachedLoss = ({ steps }: TrialProgress): number | undefined => lossAt(steps, steps.at(-1)?.step ?? 0)

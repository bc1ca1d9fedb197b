// `ironlaw calibrate --from RUN...`: compares finished runs with their plans and corrects the measured entries.

import { IronlawError, isTerminal } from '@ironlaw/contracts'
import type { RunView, StepView } from '@ironlaw/contracts/api'
import type { AnswerOf } from '@ironlaw/contracts/api-client'
import { readValue } from '@ironlaw/contracts/read-value'
import { TRAINING_PLAN } from '@ironlaw/contracts/training-plan'
import { comparedRun } from '@ironlaw/policies/calibration'
import { userCatalog } from '../catalog/catalog-source.ts'
import { api } from '../api/api-client.ts'
import { type Context, context } from '../context/context.ts'
import { findRun } from '../run/find-run.ts'
import { saveChange } from './document.ts'
import { currentVersion, type Version } from './measured-file.ts'
import { type Evidence, correctionsFromRuns } from './corrections-from-runs.ts'

export async function learnFrom(names: readonly string[]): Promise<readonly [Version, readonly string[]]> {
  const to = context()
  const counted = new Set((currentVersion()?.document.finished ?? []).map(({ run }) => run))
  const found: Evidence[] = []
  const notes: string[] = []
  for (const name of new Set(names)) {
    const run = await findRun(to, name)
    const evidence = counted.has(run.id) ? 'counted already' : await fetchEvidence(to, run)
    if (typeof evidence === 'string') notes.push(`${run.id}: ${evidence}`)
    else found.push(evidence)
  }
  if (found.length === 0)
    throw new IronlawError('IL_USAGE', {
      problem: `nothing to learn from: ${notes.join('; ') || 'no run was named'}`,
      command: 'calibrate',
    })
  const lesson = correctionsFromRuns(found)
  const version = saveChange(userCatalog(undefined), {
    by: `calibrate --from ${names.join(' ')}`,
    entries: lesson.entries,
    finished: lesson.finished,
  })
  return [version, [...notes, ...lesson.notes]]
}

async function fetchEvidence(to: Context, run: RunView): Promise<Evidence | string> {
  if (!isTerminal(run.state)) return `${run.state}; only finished runs can be learned from`
  const { body } = await api(to).getPlan({ id: run.plan })
  const plan = readValue(TRAINING_PLAN, body)
  if (!plan.success) return `its plan ${run.plan} is not a training plan`
  const compared = comparedRun({ run: run.id, plan: plan.data, steps: await fetchSteps(to, run.id) })
  if (!compared.ok) return compared.reason
  const { items } = await api(to).listCheckpoints({ id: run.id })
  const checkpoints = items.filter(({ state }) => state === 'committed')
  return { ...compared, accelerator: plan.data.fleet.accelerator, checkpoints, nodes: run.shape.nodes }
}

async function fetchSteps(to: Context, id: string): Promise<readonly StepView[]> {
  const found: StepView[] = []
  for (let after: string | undefined; ;) {
    const { items, next }: AnswerOf<'listSteps'> = await api(to).listSteps({
      id,
      query: { limit: 1000, ...(after !== undefined && { after }) },
    })
    found.push(...items)
    if (next === null) break
    after = next
  }
  return found
}

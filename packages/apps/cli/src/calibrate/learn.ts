// `ironlaw calibrate --from RUN...`: compares finished training runs with their plans and corrects the measured entries; of runs that made datasets, and of
// datasets built on this machine, it keeps how long each step took.

import { IronlawError, isTerminal } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import { readValue } from '@ironlaw/contracts/read-value'
import { TRAINING_PLAN } from '@ironlaw/contracts/training-plan'
import { comparedRun } from '@ironlaw/policies/calibration'
import type { FinishedDataRun } from '@ironlaw/planner'
import { userCatalog } from '../catalog/catalog-source.ts'
import { api } from '../api/api-client.ts'
import { type Context, context } from '../context/context.ts'
import { fetchSteps } from '../run/fetch-steps.ts'
import { findRun } from '../run/find-run.ts'
import { buildEvidence, dataRunEvidence } from './data-rates.ts'
import { saveChange, today } from './document.ts'
import { currentVersion, type Version } from './measured-file.ts'
import { type Evidence, correctionsFromRuns } from './corrections-from-runs.ts'

type Found = { readonly training: Evidence[]; readonly data: FinishedDataRun[]; readonly notes: string[] }

/** @param plan file with the plan of the datasets that were built on this machine */
export async function learnFrom(names: readonly string[], plan?: string): Promise<readonly [Version, readonly string[]]> {
  const { finished = [], data: known = [] } = currentVersion()?.document ?? {}
  const before = new Set([...finished, ...known].map(({ run }) => run))
  const found: Found = { training: [], data: [], notes: [] }
  for (const name of new Set(names)) {
    if (name.endsWith('.json')) addData(found, { name, before, evidence: buildEvidence(name, plan) })
    else await addRun(found, name, before)
  }
  const { training, data, notes } = found
  if (training.length + data.length === 0)
    throw new IronlawError('IL_USAGE', {
      problem: `nothing to learn from: ${notes.join('; ') || 'no run was named'}`,
      command: 'calibrate',
    })
  const lesson = correctionsFromRuns(training)
  const version = saveChange(userCatalog(undefined), {
    by: `calibrate --from ${names.join(' ')}`,
    entries: lesson.entries,
    finished: lesson.finished,
    data: data.map((run) => ({ ...run, at: today(), work: [...run.work] })),
  })
  return [version, [...notes, ...lesson.notes]]
}

async function addRun(found: Found, name: string, before: ReadonlySet<string>): Promise<void> {
  const to = context()
  const run = await findRun(to, name)
  if (before.has(run.id)) return void found.notes.push(`${run.id}: counted already`)
  const made = await dataRunEvidence(to, run)
  if (made !== undefined) return addData(found, { name: run.id, before, evidence: made })
  const evidence = await fetchEvidence(to, run)
  if (typeof evidence === 'string') found.notes.push(`${run.id}: ${evidence}`)
  else found.training.push(evidence)
}

type Adding = { readonly name: string; readonly before: ReadonlySet<string>; readonly evidence: FinishedDataRun | string }

function addData({ data, notes }: Found, { name, before, evidence }: Adding): void {
  if (typeof evidence === 'string') notes.push(`${name}: ${evidence}`)
  else if (before.has(evidence.run) || data.some(({ run }) => run === evidence.run)) notes.push(`${name}: counted already`)
  else data.push(evidence)
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

// Versions of models as the registry shows them: artifacts, with what is known of each and what is not.

import { hash } from 'node:crypto'
import { IronlawError, isTerminal } from '@ironlaw/contracts'
import type { ArtifactView } from '@ironlaw/contracts/artifact-operations'
import type { KnownFact, ModelSummary, ModelView } from '@ironlaw/contracts/model-registry'
import type { Spending } from '@ironlaw/contracts/ledger'
import { lackingFacts, type MakingRun, missingFacts, versionFacts, type VersionSources } from '@ironlaw/policies/release'
import { type Artifact, type Database, datasetsUsed, evaluationsOf, type MakerRow, makersOf, runOf } from '@ironlaw/store'
import { artifactView, artifactViews, requireArtifact } from '../artifacts/artifact-views.ts'
import { runLedger } from '../ledger/run-ledger.ts'
import { specOf } from '../runs/run-spec.ts'

const MOST_EVALUATIONS = 100

export async function requireModel(database: Database, project: string, reference: string): Promise<Artifact> {
  const artifact = await requireArtifact(database, project, reference)
  if (artifact.type === 'model') return artifact
  throw new IronlawError('IL_CONFLICT', {
    problem: `artifact ${reference} is of type ${artifact.type}, not a model`,
    next: 'name a model: "ironlaw get models" lists them',
  })
}

export async function modelSummaries(database: Database, project: string, models: readonly Artifact[]): Promise<ModelSummary[]> {
  const [views, sources] = await Promise.all([artifactViews(database, project, models), sourcesOf(database, models)])
  return views.map((view, index) => summaryOf(view, versionFacts(sources[index] ?? NO_SOURCES)))
}

const NO_SOURCES: VersionSources = { stated: {}, datasets: [] }

const summaryOf = ({ type: _type, facts: _facts, leaves: _leaves, ...view }: ArtifactView, known: readonly KnownFact[]): ModelSummary => ({
  ...view,
  lacks: [...lackingFacts(known)],
})

export async function modelView(database: Database, model: Artifact, now: number): Promise<ModelView> {
  const { project, id, made_by } = model
  const [view, [sources = NO_SOURCES], evaluations, spending] = await Promise.all([
    artifactView(database, model),
    sourcesOf(database, [model]),
    evaluationsOf(database, { project, model: id, limit: MOST_EVALUATIONS }).then((rows) => artifactViews(database, project, rows)),
    made_by === null ? undefined : spendingOf(database, made_by, now),
  ])
  const known = versionFacts({ ...sources, ...(spending && { spending }), evaluations: evaluations.length })
  return {
    ...summaryOf(view, known),
    facts: view.facts,
    known: [...known],
    missing: [...missingFacts(known)],
    evaluations: evaluations.map(evaluationView),
  }
}

const evaluationView = ({ id, names, facts, created_at, created_by }: ArtifactView): ModelView['evaluations'][number] => ({
  id,
  names,
  facts,
  created_at,
  created_by,
})

/** Of a run that has ended: what it costs so far says nothing of the version. */
async function spendingOf(database: Database, run_id: string, now: number): Promise<Spending | undefined> {
  const run = await runOf(database, run_id)
  return run && isTerminal(run.state) ? runLedger(database, run, now) : undefined
}

async function sourcesOf(database: Database, models: readonly Artifact[]): Promise<readonly VersionSources[]> {
  const run_ids = [...new Set(models.flatMap(({ made_by }) => made_by ?? []))]
  const [makers, datasets] = await Promise.all([makersOf(database, run_ids), datasetsUsed(database, run_ids)])
  return models.map(({ facts, made_by }) => {
    const maker = made_by === null ? undefined : makers.get(made_by)
    return { stated: facts, datasets: datasets.get(made_by ?? '') ?? [], ...(maker && { run: makingRun(maker) }) }
  })
}

function makingRun({ id, plan_id, spec, program }: MakerRow): MakingRun {
  const { nodes, processesPerNode, devices } = specOf(spec).shape
  const files = Object.entries(program.files ?? {}).map(([name, text]) => [name, hash('sha256', text)])
  return {
    id,
    plan: plan_id,
    argv: program.argv,
    files: Object.fromEntries(files),
    nodes,
    processesPerNode,
    ...(devices && { devices }),
  }
}

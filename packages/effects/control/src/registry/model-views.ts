// Versions of models as the registry shows them: artifacts, with what is known of each and what is not.

import { IronlawError, isTerminal } from '@ironlaw/contracts'
import type { ArtifactView } from '@ironlaw/contracts/artifact-operations'
import { type Decision, type KnownFact, type ModelSummary, type ModelView, MOST_EVALUATIONS } from '@ironlaw/contracts/model-registry'
import type { Spending } from '@ironlaw/contracts/ledger'
import {
  hasUncommittedCode,
  lackingFacts,
  type MakingRun,
  missingFacts,
  versionFacts,
  type VersionSources,
  versionState,
} from '@ironlaw/policies/release'
import {
  type Artifact,
  artifactsAbout,
  type Database,
  datasetsUsed,
  type DecisionRow,
  decisionsOf,
  environmentsOf,
  evaluationCounts,
  newestDecisions,
  type MakerRow,
  makersOf,
  type RunEnvironmentRow,
  runOf,
  versionNames,
} from '@ironlaw/store'
import { artifactView, artifactViews, requireArtifact } from '../artifacts/artifact-views.ts'
import { runLedger } from '../ledger/run-ledger.ts'
import { fileDigests } from '../runs/origin-view.ts'
import { specOf } from '../runs/run-spec.ts'
import { modelApprovals } from './approvals.ts'

const MOST_DECISIONS = 100
const MOST_NAMES = 10

export async function requireModel(database: Database, project: string, reference: string): Promise<Artifact> {
  const artifact = await requireArtifact(database, project, reference)
  if (artifact.type === 'model') return artifact
  throw new IronlawError('IL_CONFLICT', {
    problem: `artifact ${reference} is of type ${artifact.type}, not a model`,
    next: 'name a model: "ironlaw get models" lists them',
  })
}

type SummaryOptions = { readonly project: string; readonly now: number }

export async function modelSummaries(
  database: Database,
  models: readonly Artifact[],
  { project, now }: SummaryOptions,
): Promise<ModelSummary[]> {
  const ids = models.map(({ id }) => id)
  const [views, sources, decisions, evaluations, named] = await Promise.all([
    artifactViews(database, project, models),
    sourcesOf(database, models),
    newestDecisions(database, project, ids),
    evaluationCounts(database, { project, models: ids, limit: MOST_EVALUATIONS }),
    versionNames(database, { project, ids, limit: MOST_NAMES }),
  ])
  return views.map((view, index) => ({
    ...summaryOf(view, versionFacts(sources[index] ?? NO_SOURCES)),
    ...decidedOf((decisions.get(view.id) ?? []).map(decisionView), now),
    evaluation_count: evaluations.get(view.id) ?? 0,
    versions: [...(named.get(view.id) ?? [])],
  }))
}

const NO_SOURCES: VersionSources = { stated: {}, datasets: [] }

const summaryOf = (
  { type: _type, facts: _facts, leaves: _leaves, ...view }: ArtifactView,
  known: readonly KnownFact[],
): Omit<ModelSummary, 'state' | 'decision' | 'evaluation_count' | 'versions'> => {
  const data = known.find(({ fact }) => fact === 'data')
  return {
    ...view,
    lacks: [...lackingFacts(known)],
    ...(hasUncommittedCode(known) && { uncommitted: true }),
    ...(data && { data: data.value }),
  }
}

/** From the newest decision of each kind. */
function decidedOf(decisions: readonly Decision[], now: number): Pick<ModelSummary, 'state' | 'decision'> {
  const newest = decisions.toSorted((a, b) => b.number - a.number)[0]
  return {
    state: versionState(decisions, now),
    ...(newest && { decision: { number: newest.number, answer: newest.answer, at: newest.at, by: newest.by } }),
  }
}

export async function modelView(database: Database, model: Artifact, now: number): Promise<ModelView> {
  const { project, id, made_by } = model
  const [view, [sources = NO_SOURCES], evaluations, [baseline], newest, named, decisions, approvals, spending] = await Promise.all([
    artifactView(database, model),
    sourcesOf(database, [model]),
    artifactsAbout(database, { project, model: id, type: 'evaluation', limit: MOST_EVALUATIONS }).then((rows) =>
      artifactViews(database, project, rows),
    ),
    artifactsAbout(database, { project, model: id, type: 'profile', limit: 1 }).then((rows) => artifactViews(database, project, rows)),
    newestDecisions(database, project, [id]),
    versionNames(database, { project, ids: [id], limit: MOST_NAMES }),
    decisionsOf(database, { project, artifact_id: id }, MOST_DECISIONS),
    modelApprovals(database, model, { at: now }),
    made_by === null ? undefined : spendingOf(database, made_by, now),
  ])
  const known = versionFacts({ ...sources, ...(spending && { spending }), evaluations: evaluations.length })
  return {
    ...summaryOf(view, known),
    ...decidedOf((newest.get(id) ?? []).map(decisionView), now),
    evaluation_count: evaluations.length,
    versions: [...(named.get(id) ?? [])],
    facts: view.facts,
    known: [...known],
    missing: [...missingFacts(known)],
    evaluations: evaluations.map(aboutView),
    ...(baseline && { baseline: aboutView(baseline) }),
    decisions: decisions.map(decisionView),
    ...(approvals && { approvals }),
  }
}

const aboutView = ({ id, names, facts, created_at, created_by }: ArtifactView): ModelView['evaluations'][number] => ({
  id,
  names,
  facts,
  created_at,
  created_by,
})

export const decisionView = ({ number, answer, rule, evidence, why, otherwise, until_at, at, by, role }: DecisionRow): Decision => ({
  number,
  answer,
  rule,
  evidence,
  why,
  ...(otherwise !== null && { otherwise }),
  ...(until_at !== null && { until_at }),
  at,
  by,
  ...(role !== null && { role }),
})

/** Of a run that has ended: what it costs so far says nothing of the version. */
async function spendingOf(database: Database, run_id: string, now: number): Promise<Spending | undefined> {
  const run = await runOf(database, run_id)
  return run && isTerminal(run.state) ? runLedger(database, run, now) : undefined
}

async function sourcesOf(database: Database, models: readonly Artifact[]): Promise<readonly VersionSources[]> {
  const run_ids = [...new Set(models.flatMap(({ made_by }) => made_by ?? []))]
  const [makers, datasets, environments] = await Promise.all([
    makersOf(database, run_ids),
    datasetsUsed(database, run_ids),
    environmentsOf(database, run_ids),
  ])
  return models.map(({ facts, made_by }) => {
    const maker = made_by === null ? undefined : makers.get(made_by)
    return {
      stated: facts,
      datasets: datasets.get(made_by ?? '') ?? [],
      ...(maker && { run: makingRun(maker, environments.get(maker.id)) }),
    }
  })
}

function makingRun({ id, plan_id, spec, program }: MakerRow, environment: RunEnvironmentRow | undefined): MakingRun {
  const { shape, code } = specOf(spec)
  const { nodes, processesPerNode, devices } = shape
  return {
    id,
    plan: plan_id,
    argv: program.argv,
    files: fileDigests(program.files ?? {}),
    nodes,
    processesPerNode,
    ...(devices && { devices }),
    ...(code && { code }),
    ...(environment && { environment: { ...environment.body, ...(environment.packages !== null && { packages: environment.packages }) } }),
  }
}

// One version of a model: its state, what is known of it and what is missing, where it came from, how it was evaluated, who decided what.

import type { ModelView } from '@ironlaw/contracts/model-registry'
import { bytes, counted, show } from '@ironlaw/units'
import { type ReactNode, useMemo, useState } from 'react'
import { oneOf } from '../address.ts'
import { artifactHref, keepProject, runHref } from '../places.ts'
import { itemsOf } from '../runs/api.ts'
import { showAgo } from '../runs/run-words.tsx'
import { useResource } from '../runs/use-live.ts'
import { Empty } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Fact } from '../ui/fact.tsx'
import { Segments } from '../ui/fields.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { useAddress } from '../use-address.ts'
import { ModelCards } from '../artifacts/card-documents.tsx'
import { LineageCard } from '../artifacts/lineage-card.tsx'
import { DecideCard } from './decide-card.tsx'
import { DecisionsCard } from './decisions-card.tsx'
import { DeploymentsCard } from './deployments-card.tsx'
import { EvaluationsView } from './evaluations-view.tsx'
import { FactsCard, MissingCard } from './facts-cards.tsx'
import { FilesCard } from './files-card.tsx'
import { servingOf } from './serving-of-version.ts'
import { beyondVersion } from './version-lineage.ts'
import { shortId, StateChip } from './version-words.tsx'

type VersionPageProps = { readonly version: string; readonly project: string }

export function VersionPage({ version, project }: VersionPageProps): ReactNode {
  const [decided, setDecided] = useState(0)
  const answer = useResource('getModel', { project, artifact: version }, decided)
  return (
    <>
      <a className="link" href={keepProject('#/registry')}>
        ← All versions
      </a>
      {!answer && <Empty>Loading…</Empty>}
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && <Details model={answer.value} onDecided={() => setDecided(decided + 1)} />}
    </>
  )
}

const VIEWS = ['overview', 'evaluations'] as const
const FIELDS = { view: oneOf(VIEWS) }

type DetailsProps = { readonly model: ModelView; readonly onDecided: () => void }

function Details({ model, onDecided }: DetailsProps): ReactNode {
  const { id, versions, state, uncommitted, project, made_by, created_at, created_by } = model
  const [{ view }, change] = useAddress('registry', FIELDS)
  return (
    <>
      <header className="page-head">
        <h1 className="long">
          {versions[0] ?? shortId(id)} <StateChip state={state} />
        </h1>
        <CopyButton text={() => id}>Copy id</CopyButton>
      </header>
      <p className="about">
        <a href={keepProject(artifactHref(project, id))}>{shortId(id)}</a>
        {versions.length > 1 && `, also ${versions.slice(1).join(', ')}`}, added {showAgo(created_at)} by {created_by}
        {made_by !== undefined && (
          <>
            , made by run <a href={keepProject(runHref(made_by))}>{made_by}</a>
          </>
        )}
      </p>
      {uncommitted && (
        <p className="warning">
          Its code had changes that are in no commit: the digest of these changes is known, what they were is not. Nobody can check out what
          it was made from.
        </p>
      )}
      <div className="views">
        <Segments label="View" value={view} options={VIEWS} onChange={(next) => change({ view: next })} />
      </div>
      {view === 'overview' ? <Overview model={model} onDecided={onDecided} /> : <EvaluationsView model={model} />}
    </>
  )
}

function Overview({ model, onDecided }: DetailsProps): ReactNode {
  const { id, project, files, evaluations, removed_at, decisions, missing, known } = model
  const deployments = itemsOf(useResource('listDeployments', {}, 0))
  const serving = useMemo(() => servingOf(id, deployments ?? []), [id, deployments])
  const beyond = useMemo(() => beyondVersion(id, evaluations, serving), [id, evaluations, serving])
  const live = serving.filter(({ as }) => as === 'serves')
  return (
    <>
      <dl className="numbers headline">
        <Fact label="Size" value={show(bytes(model.bytes), 'B')} about={`in ${counted(files, 'file')}`} />
        <Fact
          label="Decisions"
          value={decisions.length}
          about={decisions.length === 0 ? 'none yet' : `newest ${showAgo(decisions[0]?.at ?? 0)}`}
        />
        <Fact label="Evaluations" value={evaluations.length} about="that name this version" />
        <Fact
          label="Serves in"
          value={live.length}
          about={live.length === 0 ? 'no deployment' : live.map(({ deployment }) => deployment).join(', ')}
        />
        <Fact
          label="Missing"
          value={missing.filter(({ blocks }) => blocks).length}
          about={missing.some(({ blocks }) => blocks) ? 'without which it is not released' : 'of what a release needs'}
        />
      </dl>
      {removed_at !== undefined && <p className="warning">Its content was deleted {showAgo(removed_at)}; what is known of it stays.</p>}
      <div className="cards">
        <DecisionsCard model={model} />
        <DecideCard model={model} onDecided={onDecided} />
        {missing.length > 0 && <MissingCard missing={missing} />}
        {known.length > 0 && <FactsCard known={known} project={project} />}
        <LineageCard id={id} project={project} beyond={beyond} />
        <DeploymentsCard serving={serving} isKnown={deployments !== undefined} />
        <ModelCards project={project} artifact={id} />
        {removed_at === undefined && <FilesCard project={project} artifact={id} />}
      </div>
    </>
  )
}

// The gates that a decision rests on, as a checklist: below a decision whose evidence holds a release check.

import type { Decision, ModelView } from '@ironlaw/contracts/model-registry'
import type { EvidenceFile, GateFigure, ReleaseRecord } from '@ironlaw/contracts/release-record'
import { type ReactNode, useState } from 'react'
import { useOnce } from '../datasets/artifact-files.ts'
import { artifactHref, keepProject } from '../places.ts'
import { showAgo } from '../runs/run-words.tsx'
import { IntervalBar } from '../ui/interval-bar.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { ANSWER_WORDS, countedStates, GATE_WORDS, intervalText, limitsOf, limitText, scaleOfFigure, showMeasured } from './gate-words.ts'
import { checksOf, type EvidencePlaces, type FoundCheck } from './release-checks.ts'

type DecisionGatesProps = { readonly decision: Decision; readonly model: ModelView }

/** Evidence never changes, so it is read once; of older decisions when somebody asks. */
const READ_AT_ONCE = 5

export function DecisionGates({ decision: { number, evidence }, model }: DecisionGatesProps): ReactNode {
  const newest = model.decisions[0]?.number ?? 0
  const [isWanted, setWanted] = useState(newest - number < READ_AT_ONCE)
  const hasEvidence = evidence.artifacts.length > 0
  const answer = useOnce(
    `${model.id} ${number} ${isWanted ? 'read' : ''}`,
    isWanted && hasEvidence ? () => checksOf(model, evidence.artifacts) : undefined,
  )
  if (!hasEvidence) return undefined
  if (!isWanted)
    return (
      <button type="button" className="small" onClick={() => setWanted(true)}>
        Look for gates in its evidence
      </button>
    )
  if (!answer) return undefined
  if (!answer.ok) return <Refusal problem={answer} />
  const { checks, places } = answer.value
  return checks.map((check) => <ReleaseCheck key={check.artifact} check={check} places={places} model={model} isOpen={number === newest} />)
}

type ReleaseCheckProps = {
  readonly check: FoundCheck
  readonly places: EvidencePlaces
  readonly model: ModelView
  readonly isOpen: boolean
}

function ReleaseCheck({ check: { artifact, name, record }, places, model, isOpen }: ReleaseCheckProps): ReactNode {
  if (!record.ok) return <Refusal problem={{ ...record, title: `The release check of ${name} cannot be shown` }} />
  const { gates, answer, checked_at, version, name: release } = record.value
  const own = model.facts['version']
  return (
    <details className="gates" open={isOpen}>
      <summary>
        Gates: {ANSWER_WORDS[answer]} <span className="quiet">{countedStates(gates.map(({ state }) => state))}</span>
      </summary>
      <p className="quiet long">
        <a href={keepProject(artifactHref(model.project, artifact))}>{name}</a>, release check of {release},{' '}
        <time title={new Date(1000 * checked_at).toISOString()}>{showAgo(checked_at)}</time>
      </p>
      {typeof own === 'string' && own !== version && (
        <p className="warning">
          It judged version <code className="long">{version}</code>; this is <code className="long">{own}</code>.
        </p>
      )}
      <ul aria-label={`Gates of ${release}`}>
        {gates.map((gate) => (
          <GateItem key={gate.gate} gate={gate} places={places} />
        ))}
      </ul>
    </details>
  )
}

type GateItemProps = { readonly gate: ReleaseRecord['gates'][number]; readonly places: EvidencePlaces }

function GateItem({ gate: { gate, state, why, would_change, figures, evidence, waiver }, places }: GateItemProps): ReactNode {
  const { mark, chip, bar } = GATE_WORDS[state]
  return (
    <li className={state}>
      <span className={`gate-mark ${chip}`} aria-hidden="true">
        {mark}
      </span>
      <div>
        <p className="long">
          <strong>{gate}</strong> <span className={`chip ${chip}`}>{state}</span>
        </p>
        <p className="long">{why}</p>
        {waiver && (
          <p className="long">
            {state === 'waived' ? `Waived until ${waiver.until}` : `Its waiver ended on ${waiver.until}`} by {waiver.by}: {waiver.why}
          </p>
        )}
        {figures.map((figure) => (
          <Measured key={figure.name} figure={figure} bar={bar} />
        ))}
        {would_change !== '' && <p className="quiet long">What would change it: {would_change}</p>}
        {evidence.length > 0 && (
          <p className="quiet long">
            Evidence:{' '}
            {evidence.map((file, index) => (
              <span key={file.path}>
                {index > 0 && ', '}
                <EvidenceLink file={file} places={places} />
              </span>
            ))}
          </p>
        )}
      </div>
    </li>
  )
}

type MeasuredProps = { readonly figure: GateFigure; readonly bar: 'good' | 'bad' | 'waiting' }

function Measured({ figure, bar }: MeasuredProps): ReactNode {
  const { name, unit, value, low = value, high = value, cases } = figure
  const interval = intervalText(figure)
  const limit = limitText(figure)
  return (
    <div className="gate-figure">
      <span className="long">
        {name} <strong>{showMeasured(value, unit)}</strong>
        {interval !== '' && ` (${interval})`}
        {cases !== undefined && <span className="quiet"> of {cases.toLocaleString('en')}</span>}
      </span>
      {limit !== '' && (
        <span className="gate-limit">
          <IntervalBar value={value} low={low} high={high} domain={scaleOfFigure(figure)} marks={limitsOf(figure)} kind={bar} />
          <span className="quiet">{limit}</span>
        </span>
      )}
    </div>
  )
}

type EvidenceLinkProps = { readonly file: EvidenceFile; readonly places: EvidencePlaces }

/** Where no artifact of the registry is known to hold the file, its digest identifies it. */
function EvidenceLink({ file: { path, sha256 }, places }: EvidenceLinkProps): ReactNode {
  const place = sha256 === undefined ? undefined : places.get(sha256)
  if (place) return <a href={keepProject(place.href)}>{place.name}</a>
  return (
    <span title={sha256}>
      {path}
      {sha256 !== undefined && (
        <>
          {' '}
          <code>{sha256.slice(0, 12)}</code>
        </>
      )}
    </span>
  )
}

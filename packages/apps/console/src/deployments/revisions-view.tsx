// Revisions on a timeline: which was live, which was a canary, and how each rollout ended.

import type { EventView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { memo, type ReactNode } from 'react'
import { showDuration } from '../runs/run-words.tsx'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import type { CsvRow } from '../ui/csv.ts'
import { historyOf, type Span } from './history.ts'
import { showMoment } from './words.tsx'

export type RevisionsViewProps = { readonly deployment: DeploymentView; readonly events: readonly EventView[] | undefined }

export const RevisionsView = memo(({ deployment: { name, created_at, revisions, stable }, events }: RevisionsViewProps): ReactNode => {
  const { spans, decisions } = historyOf(events ?? [])
  const now = Date.now() / 1000
  const timePercent = (at: number): number => Math.max(0, Math.min(100, (100 * (at - created_at)) / Math.max(1, now - created_at)))
  return (
    <Card title="Revisions" wide busy={!events} about={`${showMoment(created_at)} to now, ${showDuration(now - created_at)}`}>
      <BarBox label={`Revisions of ${name}`} heads={HEADS} rows={spans.map(spanRow)}>
        <ul className="revisions">
          {revisions.toReversed().map(({ number, model, argv }) => (
            <li key={number}>
              <span className={number === stable ? 'now' : ''}>{number}</span>
              <span className="revision-model" title={argv.join(' ')}>
                {model}
              </span>
              <span className="attempt-line">
                {spans
                  .filter(({ revision }) => revision === number)
                  .map((span) => (
                    <i
                      key={`${span.as} ${span.from}`}
                      className={classOf(span)}
                      title={titleOf(span, now)}
                      style={{ left: `${timePercent(span.from)}%`, right: `${100 - timePercent(span.to ?? now)}%` }}
                    />
                  ))}
              </span>
            </li>
          ))}
        </ul>
        <p className="keys">
          <span>
            <i className="swatch work" /> live
          </span>
          <span>
            <i className="swatch exchange" /> on trial
          </span>
          <span>
            <i className="swatch back" /> rolled back
          </span>
        </p>
      </BarBox>
      {revisions.length > 1 && <a href={revisionsHref(name, stable, revisions)}>Compare revisions</a>}
      {events && decisions.length === 0 && <Empty>No decisions yet.</Empty>}
      <ul className="events tall" tabIndex={0} aria-label="Decisions, newest first">
        {decisions.map(({ at, revision, what, why, actor }) => (
          <li key={`${at} ${what} ${revision}`}>
            <time className="quiet">{showMoment(at)}</time> <strong>revision {revision}</strong> {what}
            {why === '' ? '' : `: ${why}`} <span className="quiet">{actor}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
})

const HEADS = ['revision', 'as', 'from', 'to', 'end']

const spanRow = ({ revision, as, from, to, end }: Span): CsvRow => [
  revision,
  as,
  new Date(1000 * from).toISOString(),
  to === undefined ? '' : new Date(1000 * to).toISOString(),
  end ?? '',
]

/** Compares the serving revision with the newest one that does not serve. */
function revisionsHref(name: string, stable: number, revisions: DeploymentView['revisions']): string {
  const other = revisions.findLast(({ number }) => number !== stable)?.number ?? stable
  return `#/compare?${new URLSearchParams({ kind: 'revisions', deployment: name, left: String(stable), right: String(other) }).toString()}`
}

const classOf = ({ as, end }: Span): string => (as === 'live' ? 'work' : end === 'rolled-back' ? 'back' : 'exchange')

const titleOf = ({ as, from, to, end }: Span, now: number): string =>
  `${as === 'live' ? 'live' : 'on trial'} ${showMoment(from)}, ${showDuration((to ?? now) - from)}${end ? `, ${end.replace('-', ' ')}` : ''}`

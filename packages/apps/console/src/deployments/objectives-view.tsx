// Which half minutes met the objectives: one row per objective, one cell per window.

import type { DeploymentFigures, TrafficFigures } from '@ironlaw/contracts/deployment-figures'
import { memo, type ReactNode } from 'react'
import { showPercent } from '@ironlaw/units'
import { showClock, showDuration } from '../runs/run-words.tsx'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { judgedLatency, momentsOf, type Objectives, unansweredCount } from './summary.ts'

export type ObjectivesViewProps = { readonly figures: DeploymentFigures | undefined; readonly objectives: Objectives | undefined }

/** Share of attempts that may fail before a half minute counts as bad; the default margin of a rollout. */
const ERRORS = 0.02

type Row = { readonly name: string; readonly about: string; readonly isKept: (window: TrafficFigures) => boolean }

export const ObjectivesView = memo(({ figures, objectives }: ObjectivesViewProps): ReactNode => {
  const moments = momentsOf(figures?.windows ?? [])
  // If gateways report no percentiles, the typical answer is judged, and labelled as such.
  const told = moments.some(({ ttft_percentiles_s }) => ttft_percentiles_s)
  const percentile = told && objectives?.percentile !== 'mean' ? (objectives?.percentile ?? '') : 'typical'
  const rows: readonly Row[] = [
    ...(objectives
      ? [
          {
            name: 'TTFT',
            about: `${percentile} within ${showDuration(objectives.ttft_s)}`,
            isKept: (window: TrafficFigures) => (judgedLatency(window, 'ttft', objectives.percentile) ?? 0) <= objectives.ttft_s,
          },
          {
            name: 'TPOT',
            about: `${percentile} within ${showDuration(objectives.tpot_s)}`,
            isKept: (window: TrafficFigures) => (judgedLatency(window, 'tpot', objectives.percentile) ?? 0) <= objectives.tpot_s,
          },
        ]
      : []),
    {
      name: 'answered',
      about: `fails less than ${showPercent(ERRORS, 0)}`,
      isKept: (window) => unansweredCount(window) <= ERRORS * (window.answers + unansweredCount(window)),
    },
  ]
  const about = objectives
    ? 'SLO attainment over the last 30 minutes, in windows of 30 s.'
    : 'Last 30 minutes, in windows of 30 s. The plan of this revision is not known here, so only errors are judged.'
  return (
    <Card title="SLO attainment" about={about} busy={!figures} wide>
      {moments.length === 0 ? (
        <Empty>{figures ? 'No traffic yet. Send a request through the gateway.' : 'Reading…'}</Empty>
      ) : (
        <BarBox
          label="SLO attainment"
          heads={['window', ...rows.map(({ name }) => `${name} met`)]}
          rows={moments.map((window) => [
            new Date(1000 * window.from_at).toISOString(),
            ...rows.map(({ isKept }) => (isKept(window) ? 'yes' : 'no')),
          ])}
        >
          <ul className="kept">
            {rows.map(({ name, about: limit, isKept }) => {
              const kept = moments.filter(isKept).length
              return (
                <li key={name}>
                  <span>
                    {name} <span className="quiet">{limit}</span>
                  </span>
                  <span className="kept-cells" role="img" aria-label={`${kept} of ${moments.length} windows met it`}>
                    {moments.map((window) => (
                      <i
                        key={window.from_at}
                        className={isKept(window) ? 'yes' : 'no'}
                        title={`${showClock(window.from_at)}: ${windowText(window)}`}
                      />
                    ))}
                  </span>
                  <strong>{showPercent(kept / moments.length, kept === moments.length ? 0 : 1)}</strong>
                </li>
              )
            })}
          </ul>
        </BarBox>
      )}
    </Card>
  )
})

const windowText = ({ ttft_s, tpot_s, answers, errors, refused = 0 }: TrafficFigures): string =>
  `${answers} answers, ${errors} errors${refused > 0 ? `, ${refused} refused as invalid` : ''}, TTFT ${showDuration(ttft_s)}, TPOT ${showDuration(tpot_s)}`

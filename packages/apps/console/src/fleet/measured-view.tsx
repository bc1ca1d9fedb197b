// Measured step times compared with those that plans predicted from the catalog.

import { median } from '@ironlaw/laws/quantile'
import type { RunView } from '@ironlaw/contracts/api'
import { memo, type ReactNode } from 'react'
import { runHref } from '../places.ts'
import { showDuration } from '../runs/run-words.tsx'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'

/** A step that takes twice as long fills its half. */
const WIDEST = Math.log(2)

export const MeasuredView = memo(({ runs }: { readonly runs: readonly RunView[] | undefined }): ReactNode => {
  const rows = (runs ?? []).flatMap(({ id, name, step_s, predicted_step_s }) =>
    step_s !== undefined && step_s > 0 && predicted_step_s !== undefined && predicted_step_s > 0
      ? [{ id, name, step_s, predicted_step_s, ratio: step_s / predicted_step_s }]
      : [],
  )
  const typical = rows.length === 0 ? undefined : median(rows.map(({ ratio }) => ratio))
  return (
    <Card
      title="Measured against predicted"
      busy={!runs}
      about={
        typical === undefined
          ? 'Measured time of a step divided by the planned time.'
          : `Measured time of a step divided by the planned time. The median of ${rows.length} runs is ${typical.toFixed(2)} ×.`
      }
    >
      {rows.length === 0 ? (
        <Empty>{runs ? 'No run has both a pace and a prediction.' : 'Reading…'}</Empty>
      ) : (
        <BarBox label="Measured against predicted" heads={['run', 'measured over predicted']}>
          <ul className="tornado tall" tabIndex={0} aria-label="Runs against their plans">
            {rows.map(({ id, name, step_s, predicted_step_s, ratio }) => {
              const half = 50 * Math.max(-1, Math.min(1, Math.log(ratio) / WIDEST))
              return (
                <li key={id}>
                  <a href={runHref(id)}>{name}</a>
                  <span className="tornado-bars">
                    <i
                      className={ratio > 1 ? 'exchange' : 'work'}
                      style={{ left: `${50 + Math.min(0, half)}%`, width: `${Math.abs(half)}%` }}
                    />
                  </span>
                  <span className="quiet">
                    {ratio.toFixed(2)} × ({showDuration(step_s)} / {showDuration(predicted_step_s)})
                  </span>
                </li>
              )
            })}
          </ul>
        </BarBox>
      )}
      <p className="about">
        <code>ironlaw calibrate --from RUN</code> turns such gaps into measured corrections to the catalog, for the next plan.
      </p>
    </Card>
  )
})

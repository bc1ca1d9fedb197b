// Where the step goes: one bar of all causes, work, then exchange, then waiting, with the time hidden by overlap below it.

import { STEP_CAUSE_INFO, STEP_CAUSES, type StepNature } from '@ironlaw/contracts'
import { seconds, show, showShortPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { BarBox } from '../ui/bar-box.tsx'
import { Card } from '../ui/card.tsx'
import { Why } from '../ui/why.tsx'
import type { Details } from './answer.ts'

const NATURES: readonly StepNature[] = ['work', 'exchange', 'waiting']
const NATURE_TEXTS: Readonly<Record<StepNature, string>> = { work: 'work', exchange: 'exposed exchange', waiting: 'waiting' }

export const StepView = memo(({ causes, hidden }: Pick<Details, 'causes' | 'hidden'>): ReactNode => {
  const total = STEP_CAUSES.reduce((sum, cause) => sum + causes[cause], 0)
  const rows = NATURES.flatMap((nature) =>
    STEP_CAUSES.filter(
      (cause) => STEP_CAUSE_INFO[cause].nature === nature && (causes[cause] > 5e-4 * total || hidden[cause] > 5e-4 * total),
    )
      .toSorted((a, b) => causes[b] - causes[a])
      .map((cause, at) => ({ cause, nature, at, share: causes[cause] / total })),
  )
  const sums = NATURES.map((nature) => ({ nature, share: rows.reduce((sum, row) => sum + (row.nature === nature ? row.share : 0), 0) }))
  return (
    <Card
      title="Where the step goes"
      wide
      about={sums.map(({ nature, share }) => `${showShortPercent(share)} ${NATURE_TEXTS[nature]}`).join(', ')}
    >
      <BarBox label="Where the step goes" heads={['cause', 'time', 'share', 'hidden']}>
        <div
          className="stack"
          role="img"
          aria-label={rows.map(({ cause, share }) => `${STEP_CAUSE_INFO[cause].words} ${showShortPercent(share)}`).join(', ')}
        >
          {rows.map(({ cause, nature, at, share }) => (
            <span
              key={cause}
              className={`part ${nature}`}
              style={{ flexGrow: share, '--tint': at }}
              title={`${STEP_CAUSE_INFO[cause].words}: ${show(seconds(causes[cause]), 's')}, ${showShortPercent(share)}`}
            >
              {share > 0.09 && at < 2 ? STEP_CAUSE_INFO[cause].words : ''}
            </span>
          ))}
        </div>
        <ul className="legend">
          {rows.map(({ cause, nature, at, share }) => (
            <li key={cause}>
              <i className={`swatch ${nature}`} style={{ '--tint': at }} />
              <span>{STEP_CAUSE_INFO[cause].words}</span>
              <Why name={cause} label={STEP_CAUSE_INFO[cause].words}>
                {show(seconds(causes[cause]), 's')}
              </Why>
              <span className="quiet">{showShortPercent(share)}</span>
              {hidden[cause] > 5e-4 * total && (
                <span className="hidden-time" title="runs under work and costs no time">
                  +{show(seconds(hidden[cause]), 's')} hidden
                </span>
              )}
            </li>
          ))}
        </ul>
      </BarBox>
    </Card>
  )
})

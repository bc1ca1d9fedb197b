import type { StepView } from '@ironlaw/contracts/api'
import { memo, type ReactNode } from 'react'
import { showPercent } from '@ironlaw/units'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { slowestRanks } from './slowest-ranks.ts'

/** A longer list would hide the rank that matters. */
const SHOWN = 8

export const SlowestView = memo(({ steps }: { readonly steps: readonly StepView[] | undefined }): ReactNode => {
  const ranks = slowestRanks(steps ?? [])
  return (
    <Card title="Stragglers" about="How often each rank was the slowest of its step, and by how much." busy={!steps}>
      {ranks.length === 0 ? (
        <Empty>{steps ? 'No step reported its slowest rank.' : 'Reading…'}</Empty>
      ) : (
        <BarBox label="Stragglers" heads={['rank', 'share of steps', 'behind']}>
          <ul className="waterfall">
            {ranks.slice(0, SHOWN).map(({ rank, share, behind }) => (
              <li key={rank}>
                <span>rank {rank}</span>
                <span className="waterfall-bars">
                  <i className="waiting" style={{ width: `${100 * share}%` }} />
                </span>
                <span>{showPercent(share, 0)}</span>
                <span className="quiet">{showPercent(behind)} behind the median</span>
              </li>
            ))}
          </ul>
        </BarBox>
      )}
    </Card>
  )
})

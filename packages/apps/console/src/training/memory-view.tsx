// Memory per pipeline stage against the limit: a column per stage, stacked by what fills it.

import type { MemoryTerm } from '@ironlaw/planner'
import { bytes, show } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { Why } from '../ui/why.tsx'
import type { StageBytes } from './answer.ts'

const TERMS: readonly MemoryTerm[] = ['weights', 'gradients', 'optimizer', 'activations', 'logits', 'gathered', 'working']

export type MemoryViewProps = {
  readonly stages: readonly StageBytes[]
  readonly limit: number
  /** Whether there is a derivation to open. */
  readonly explained: boolean
  /** Whether it is alone in its row. */
  readonly wide?: boolean
}

export const MemoryView = memo(({ stages, limit, explained, wide = false }: MemoryViewProps): ReactNode => {
  const top = 1.08 * Math.max(limit, ...stages.map(({ likely }) => likely))
  const worst = stages.reduce((most, stage) => (stage.high > most.high ? stage : most))
  const used = TERMS.filter((term) => stages.some(({ terms }) => terms[term] > 0))
  return (
    <Card
      title="Memory per pipeline stage"
      wide={wide}
      about={
        <>
          Fullest is stage {worst.stage + 1} of {stages.length}:{' '}
          {explained ? (
            <Why name="memory" label="Memory of the fullest stage">
              {show(bytes(worst.likely), 'B')}
            </Why>
          ) : (
            show(bytes(worst.likely), 'B')
          )}{' '}
          ({show(bytes(worst.low), 'B')} to {show(bytes(worst.high), 'B')})
        </>
      }
    >
      <div className="columns" style={{ '--limit': limit / top }}>
        <span className="limit">limit {show(bytes(limit), 'B')}</span>
        {stages.map((stage) => (
          <div
            key={stage.stage}
            className={stage.likely > limit ? 'column over' : 'column'}
            title={[
              `stage ${stage.stage + 1}: ${show(bytes(stage.likely), 'B')}`,
              ...used.map((term) => `${term} ${show(bytes(stage.terms[term]), 'B')}`),
            ].join('\n')}
          >
            <div className="column-room">
              <i className="overhead" style={{ height: `${(100 * overhead(stage)) / top}%` }} />
              {used.toReversed().map((term) => (
                <i key={term} className={`term ${term}`} style={{ height: `${(100 * stage.terms[term]) / top}%` }} />
              ))}
            </div>
            {(stages.length <= 16 || stage.stage % 4 === 0) && <span className="column-name">{stage.stage + 1}</span>}
          </div>
        ))}
      </div>
      <ul className="keys">
        {used.map((term) => (
          <li key={term}>
            <i className={`swatch term ${term}`} />
            {term} <span className="quiet">{show(bytes(worst.terms[term]), 'B')}</span>
          </li>
        ))}
        <li>
          <i className="swatch overhead" />
          driver and allocator <span className="quiet">{show(bytes(overhead(worst)), 'B')}</span>
        </li>
      </ul>
    </Card>
  )
})

const overhead = ({ likely, terms }: StageBytes): number => likely - TERMS.reduce((sum, term) => sum + terms[term], 0)

// The answer side of a studio: while it works, when it refuses, and the text for screen readers.

import type { ReactNode } from 'react'
import type { WorkerRefusal } from '../worker-edge.ts'

export type ResultsProps = {
  readonly busy: boolean
  readonly refused: WorkerRefusal | undefined
  /** Announced by screen readers when an answer arrives. */
  readonly said: string
  readonly children: ReactNode
}

export const Results = ({ busy, refused, said, children }: ResultsProps): ReactNode => (
  <div className={busy ? 'results busy' : 'results'} aria-busy={busy}>
    <p className="only-read" role="status">
      {busy ? '' : said}
    </p>
    {refused ? (
      <div className="refused" role="alert">
        <strong>{refused.message}</strong>
        <p>{refused.next}</p>
      </div>
    ) : (
      (children ?? <Skeleton />)
    )}
  </div>
)

const SHAPES = ['headline', 'wide', 'half', 'half', 'wide']

const Skeleton = (): ReactNode => (
  <div className="skeleton" role="status" aria-label="Planning">
    {SHAPES.map((shape, at) => (
      <i key={`${shape} ${at}`} className={shape} />
    ))}
  </div>
)

// A dashed line across a plot with a name, for where something is.

import type { ReactNode } from 'react'
import type { Frame } from './plot.tsx'

export type VerticalMarkProps = {
  /** On the lower axis. */
  readonly at: number
  readonly name: string
  readonly title: string
  readonly frame: Frame
}

export function VerticalMark({ at, name, title, frame }: VerticalMarkProps): ReactNode {
  const x = frame.x(at)
  // Towards the middle, where there is room for a name.
  const isLeft = x < frame.width / 2
  return (
    <g className="reached">
      <title>{title}</title>
      <line x1={x} x2={x} y2={frame.height} />
      <text x={x + (isLeft ? 5 : -5)} y={14} textAnchor={isLeft ? 'start' : 'end'}>
        {name}
      </text>
    </g>
  )
}

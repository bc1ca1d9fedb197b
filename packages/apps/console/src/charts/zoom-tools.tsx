// Buttons that do what the wheel does, for users without one.

import type { ReactNode } from 'react'

const STEP = 1.5

export type ZoomToolsProps = {
  readonly onZoom: (factor: number) => void
  readonly onAll: () => void
  readonly isWhole?: boolean
  readonly children?: ReactNode
}

export const ZoomTools = ({ onZoom, onAll, isWhole = false, children }: ZoomToolsProps): ReactNode => (
  <div className="zoom-tools">
    <button type="button" className="icon" aria-label="Zoom in" onClick={() => onZoom(1 / STEP)}>
      +
    </button>
    <button type="button" className="icon" aria-label="Zoom out" onClick={() => onZoom(STEP)}>
      −
    </button>
    <button type="button" className="small" aria-label="Show all" disabled={isWhole} onClick={onAll}>
      All
    </button>
    {children}
  </div>
)

// The pipeline of one step, pass by pass.

import { seconds, show } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Gantt } from '../charts/gantt.tsx'
import { Card, Empty } from '../ui/card.tsx'
import type { Passes } from './answer.ts'

export const PipelineView = memo(({ passes, busy }: { readonly passes: Passes | undefined; readonly busy: boolean }): ReactNode => (
  <Card
    title="Pipeline of one step"
    wide
    busy={busy}
    about={passes && `${passesText(passes)} Drag to move, Ctrl and wheel to zoom; gaps are the bubble.`}
    aside={
      <span className="keys">
        <span>
          <i className="swatch work" /> forward
        </span>
        <span>
          <i className="swatch exchange" /> backward
        </span>
      </span>
    }
  >
    {passes ? (
      <Gantt rows={passes} label={`Timeline of ${passes.stages} stages over ${show(seconds(passes.span_s), 's')}`} />
    ) : (
      <Empty>Laying out the passes…</Empty>
    )}
  </Card>
))

const passesText = ({ stages, drawn, microbatches }: Passes): string =>
  `${stages === 1 ? 'One stage' : `${stages} stages`}, ${drawn < microbatches ? `${drawn} of ` : ''}${microbatches} microbatches.`

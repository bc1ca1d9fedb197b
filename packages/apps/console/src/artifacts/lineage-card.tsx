// Where an artifact came from and what came of it, as a picture.

import { type ReactNode, useMemo } from 'react'
import { useResource } from '../runs/use-live.ts'
import { Card } from '../ui/card.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { LineageGraph } from './lineage-graph.tsx'
import { type Beyond, lineageLayout } from './lineage-layout.ts'

type LineageCardProps = {
  readonly id: string
  readonly project: string
  /** What is linked to it by other things than runs; must stay the same object while it says the same. */
  readonly beyond?: Beyond
}

export function LineageCard({ id, project, beyond }: LineageCardProps): ReactNode {
  const up = useResource('traceArtifact', { project, artifact: id, query: { direction: 'up' } }, 0)
  const down = useResource('traceArtifact', { project, artifact: id, query: { direction: 'down' } }, 0)
  const lineage = useMemo(() => (up?.ok && down?.ok ? lineageLayout([up.value, down.value], beyond) : undefined), [up, down, beyond])
  const refused = [up, down].find((each) => each && !each.ok)
  const hidden = (lineage?.hidden ?? 0) > 0 || (up?.ok && up.value.truncated) || (down?.ok && down.value.truncated)
  return (
    <Card title="Lineage" about="From what it came from, on the left, to what came of it. Boxes are artifacts, rounded ones runs." wide>
      {refused && !refused.ok && <Refusal problem={refused} />}
      {lineage && lineage.nodes.length === 1 && <p className="quiet">No run is known to have made or used it.</p>}
      {lineage && lineage.nodes.length > 1 && <LineageGraph lineage={lineage} centre={id} project={project} />}
      {hidden && (
        <p className="quiet">
          There is more than is shown: <code>ironlaw trace {id.slice(0, 16)} --down</code> prints it.
        </p>
      )}
    </Card>
  )
}

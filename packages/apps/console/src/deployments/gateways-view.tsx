// Through which gateways requests come, and how many wait there.

import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'
import { memo, type ReactNode } from 'react'
import { ago } from '../runs/run-words.tsx'
import { Card, Empty } from '../ui/card.tsx'

export const GatewaysView = memo(({ figures }: { readonly figures: DeploymentFigures | undefined }): ReactNode => (
  <Card
    title="Gateways"
    busy={!figures}
    about={
      figures && figures.gateways.length > 0
        ? `${figures.queued} requests wait for a replica.`
        : 'They tell once a second what they counted.'
    }
  >
    {!figures?.gateways.length ? (
      <Empty>
        {figures ? (
          <span>
            None was heard of lately: <code>ironlaw gateway --control</code> starts one.
          </span>
        ) : (
          'Reading…'
        )}
      </Empty>
    ) : (
      <ul className="events tall" tabIndex={0} aria-label="Gateways">
        {figures.gateways.map(({ id, seen_at }) => (
          <li key={id}>
            <strong>{id}</strong> <span className="quiet">heard {ago(seen_at)}</span>
          </li>
        ))}
      </ul>
    )}
  </Card>
))

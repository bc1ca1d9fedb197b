// The gateways that serve the deployment, and how many requests wait there.

import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'
import { memo, type ReactNode } from 'react'
import { showAgo } from '../runs/run-words.tsx'
import { Card, Empty } from '../ui/card.tsx'

export const GatewaysView = memo(({ figures }: { readonly figures: DeploymentFigures | undefined }): ReactNode => (
  <Card
    title="Gateways"
    wide
    busy={!figures}
    about={figures && figures.gateways.length > 0 ? `${figures.queued} requests wait for a replica.` : 'Gateways report once a second.'}
  >
    {!figures?.gateways.length ? (
      <Empty>
        {figures ? (
          <span>
            No gateway has reported recently: <code>ironlaw gateway --control</code> starts one.
          </span>
        ) : (
          'Reading…'
        )}
      </Empty>
    ) : (
      <ul className="events tall" tabIndex={0} aria-label="Gateways">
        {figures.gateways.map((gateway) => (
          <li key={gateway.id}>
            <strong>{gateway.id}</strong> {configPhrase(gateway)} <span className="quiet">heard {showAgo(gateway.seen_at)}</span>
          </li>
        ))}
      </ul>
    )}
  </Card>
))

function configPhrase({ state, version, rejected, kept }: DeploymentFigures['gateways'][number]): string {
  const disk = kept === false ? ', no copy on disk' : ''
  switch (state) {
    case 'current':
      return `has the newest configuration (version ${version})${disk}`
    case 'behind':
      return `still has version ${version} of the configuration${disk}`
    case 'rejected':
      return `rejected version ${rejected?.version ?? '?'} (${rejected?.reason ?? 'no reason given'}) and stays on ${version}${disk}`
    case 'silent':
      return `had version ${version} of the configuration`
  }
}

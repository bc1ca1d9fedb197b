// Who may use the model, and their limits.

import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'
import { memo, type ReactNode } from 'react'
import { Card, Empty } from '../ui/card.tsx'
import { Heads } from '../ui/heads.tsx'
import { TableBox } from '../ui/table-box.tsx'

const showCount = (value: number): string => value.toLocaleString('en-US', { notation: 'compact' })

export const TenantsView = memo(({ figures }: { readonly figures: DeploymentFigures | undefined }): ReactNode => (
  <Card title="Tenants" busy={!figures} about="Who may use this model, and their limits at the gateways.">
    {!figures?.tenants.length ? (
      <Empty>
        {figures ? (
          <span>
            No tenant has access yet: an administrator adds keys with <code>ironlaw apply access.yaml</code>.
          </span>
        ) : (
          'Reading…'
        )}
      </Empty>
    ) : (
      <TableBox label="Table of tenants" isTall>
        <table>
          <thead>
            <tr>
              <Heads names={['Tenant']} />
              <Heads names={['Keys', 'Weight', 'Requests / min', 'Tokens / min', 'At once']} numbers />
              <Heads names={['Budget']} />
            </tr>
          </thead>
          <tbody>
            {figures.tenants.map(({ name, keys, weight, requests_per_minute, tokens_per_minute, concurrency, budget }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="number">{showCount(keys)}</td>
                <td className="number">{weight}</td>
                <td className="number">{showCount(requests_per_minute)}</td>
                <td className="number">{showCount(tokens_per_minute)}</td>
                <td className="number">{showCount(concurrency)}</td>
                <td className="quiet">{budget ?? 'none'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    )}
  </Card>
))

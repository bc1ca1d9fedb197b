// Who may use the model, and their limits.

import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'
import { memo, type ReactNode } from 'react'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'

const showCount = (value: number): string => value.toLocaleString('en-US', { notation: 'compact' })

type Tenant = DeploymentFigures['tenants'][number]

const countColumn = (name: string, value: (tenant: Tenant) => number): Column<Tenant> => ({
  name,
  isNumber: true,
  value,
  cell: (tenant) => showCount(value(tenant)),
})

const COLUMNS: readonly Column<Tenant>[] = [
  { name: 'Tenant', value: ({ name }) => name },
  countColumn('Keys', ({ keys }) => keys),
  { name: 'Weight', isNumber: true, value: ({ weight }) => weight },
  countColumn('Requests / min', ({ requests_per_minute }) => requests_per_minute),
  countColumn('Tokens / min', ({ tokens_per_minute }) => tokens_per_minute),
  countColumn('At once', ({ concurrency }) => concurrency),
  { name: 'Budget', className: 'quiet', value: ({ budget }) => budget ?? 'none' },
]

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
      <DataTable name="tenants" label="Table of tenants" columns={COLUMNS} rows={figures.tenants} keyOf={({ name }) => name} isTall />
    )}
  </Card>
))

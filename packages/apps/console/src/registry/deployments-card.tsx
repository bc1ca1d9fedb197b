import type { ReactNode } from 'react'
import { DeploymentChip } from '../deployments/words.tsx'
import { deploymentHref, keepProject } from '../places.ts'
import { Card } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import type { VersionServing } from './serving-of-version.ts'

const COLUMNS: readonly Column<VersionServing>[] = [
  {
    name: 'Deployment',
    value: ({ deployment }) => deployment,
    cell: ({ deployment }) => <a href={keepProject(deploymentHref(deployment))}>{deployment}</a>,
  },
  { name: 'This version', value: ({ as }) => as },
  { name: 'Revision', isNumber: true, value: ({ revision }) => revision },
  { name: 'State', value: ({ state }) => state, cell: ({ state }) => <DeploymentChip state={state} /> },
  { name: 'Record that engines compare', value: ({ digest }) => digest, cell: ({ digest }) => <code>{digest.slice(0, 16)}</code> },
]

type DeploymentsCardProps = { readonly serving: readonly VersionServing[]; readonly isKnown: boolean }

export const DeploymentsCard = ({ serving, isKnown }: DeploymentsCardProps): ReactNode => (
  <Card title="Where it serves" wide busy={!isKnown}>
    {isKnown && serving.length === 0 && (
      <p className="quiet">
        No deployment names it. <code>version: NAME@2</code> under <code>deploy</code> of a serving spec does.
      </p>
    )}
    {serving.length > 0 && (
      <DataTable name="serving" label="Table of deployments" columns={COLUMNS} rows={serving} keyOf={({ deployment }) => deployment} />
    )}
  </Card>
)

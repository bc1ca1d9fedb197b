// The settings in force: as in the spec, and who changed them last.

import { type FieldChange, fieldChanges } from '@ironlaw/contracts'
import type { EventView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { memo, type ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { showMoment } from './words.tsx'

export type SettingsViewProps = { readonly deployment: DeploymentView; readonly events: readonly EventView[] | undefined }

const COLUMNS: readonly Column<FieldChange>[] = [
  { name: 'Setting', value: ({ path }) => path, cell: ({ path }) => <code>{path}</code> },
  { name: 'Value', isNumber: true, isSortable: false, value: ({ next }) => (next === '[]' ? 'none' : String(next)) },
]

export const SettingsView = memo(({ deployment: { spec, created_at, created_by }, events }: SettingsViewProps): ReactNode => {
  const changed = events?.findLast(({ kind }) => kind === 'deployment-changed')
  const { actor, at } = changed ?? { actor: created_by, at: created_at }
  return (
    <Card title="Settings" about={`In force since ${showMoment(at)}, by ${actor}. Settings not listed have their defaults.`}>
      <DataTable
        name="settings"
        label="Table of settings"
        columns={COLUMNS}
        rows={fieldChanges({}, spec)}
        keyOf={({ path }) => path}
        isTall
      />
    </Card>
  )
})

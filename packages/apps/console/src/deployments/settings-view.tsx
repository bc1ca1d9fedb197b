// The settings in force: as in the spec, and who changed them last.

import { type FieldChange, fieldChanges } from '@ironlaw/contracts'
import type { EventView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { memo, type ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { Heads } from '../ui/heads.tsx'
import { TableBox } from '../ui/table-box.tsx'
import { showMoment } from './words.tsx'

export type SettingsViewProps = { readonly deployment: DeploymentView; readonly events: readonly EventView[] | undefined }

export const SettingsView = memo(({ deployment: { spec, created_at, created_by }, events }: SettingsViewProps): ReactNode => {
  const changed = events?.findLast(({ kind }) => kind === 'deployment-changed')
  const { actor, at } = changed ?? { actor: created_by, at: created_at }
  return (
    <Card title="Settings" about={`In force since ${showMoment(at)}, by ${actor}. Settings not listed have their defaults.`}>
      <TableBox label="Table of settings" isTall>
        <table>
          <thead>
            <tr>
              <Heads names={['Setting']} />
              <Heads names={['Value']} numbers />
            </tr>
          </thead>
          <tbody>
            {fieldChanges({}, spec).map(({ path, next }: FieldChange) => (
              <tr key={path}>
                <td>
                  <code>{path}</code>
                </td>
                <td className="number">{next === '[]' ? 'none' : String(next)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </Card>
  )
})

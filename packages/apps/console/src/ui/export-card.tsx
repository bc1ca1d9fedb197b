// A plan as configuration files and commands.

import type { ReactNode } from 'react'
import { Card } from './card.tsx'
import { CopyButton } from './copy-button.tsx'

type ExportTarget = {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly write: () => { readonly text: string; readonly warnings: readonly string[]; readonly impossible: readonly string[] }
}

export type ExportCardProps = {
  readonly plan: object
  readonly targets: readonly ExportTarget[]
  readonly open: string
  readonly onOpen: (id: string) => void
}

export function ExportCard({ plan, targets, open, onOpen }: ExportCardProps): ReactNode {
  const target = targets.find(({ id }) => id === open)
  const made = target?.write()
  return (
    <Card title="Export" wide about="The plan as configuration for the programs that run it.">
      <div className="row">
        {targets.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            className={id === open ? 'button chosen' : 'button'}
            aria-expanded={id === open}
            onClick={() => onOpen(id === open ? '' : id)}
          >
            {name}
          </button>
        ))}
        <CopyButton text={() => JSON.stringify(plan, undefined, 2)}>Copy the plan as JSON</CopyButton>
        <CopyButton text={() => location.href}>Copy a link to this page</CopyButton>
      </div>
      {target && made && (
        <div className="exported">
          <p className="about">{target.about}</p>
          {made.impossible.map((reason) => (
            <p key={reason} className="outside">
              Does not run: {reason}
            </p>
          ))}
          {made.warnings.map((warning) => (
            <p key={warning} className="outside">
              Not expressed: {warning}
            </p>
          ))}
          <CopyButton text={() => made.text}>Copy</CopyButton>
          <pre tabIndex={0} aria-label={`Export for ${target.name}`}>
            {made.text}
          </pre>
        </div>
      )}
    </Card>
  )
}

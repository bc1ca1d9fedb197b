// The views of an artifact that hold data: which one the address says, and for which of its directories.

import type { ArtifactView } from '@ironlaw/contracts/artifact-operations'
import type { ReactNode } from 'react'
import { text, wholeNumber } from '../address.ts'
import { Select } from '../ui/fields.tsx'
import { useAddress } from '../use-address.ts'
import { DistributionsView } from './distributions-view.tsx'
import { DocumentView } from './document-view.tsx'
import { MixtureView } from './mixture-view.tsx'
import { StepsView } from './steps-view.tsx'
import { VersionsView } from './versions-view.tsx'
import type { View } from './views.ts'

const FIELDS = { folder: text(''), document: text(''), first: wholeNumber(0), second: wholeNumber(0) }

type DatasetViewProps = {
  readonly view: Exclude<View, 'overview'>
  /** Directories of the artifact that it can be shown for. */
  readonly folders: readonly string[]
  readonly found: ArtifactView
}

export function DatasetView({ view, folders, found }: DatasetViewProps): ReactNode {
  const [{ folder: wanted, document, first, second }, change] = useAddress('artifacts', FIELDS)
  const folder = folders.includes(wanted) ? wanted : (folders[0] ?? '')
  const place = { project: found.project, artifact: found.id }
  const [name = ''] = found.names
  return (
    <>
      {folders.length > 1 && view !== 'versions' && (
        <div className="page-head">
          <Select
            label="Directory"
            value={folder}
            options={folders.map((each) => ({ id: each, name: each || '(top)' }))}
            onChange={(next) => change({ folder: next, document: '' })}
          />
        </div>
      )}
      {view === 'steps' && <StepsView {...place} folder={folder} />}
      {view === 'distributions' && <DistributionsView {...place} folder={folder} />}
      {view === 'mixture' && <MixtureView {...place} folder={folder} />}
      {view === 'document' && (
        <DocumentView {...place} folder={folder} document={document} onDocument={(next) => change({ document: next })} />
      )}
      {view === 'versions' && <VersionsView {...place} name={name} chosen={{ first, second }} onChosen={change} />}
    </>
  )
}

// What can be shown of an artifact, by the files that it holds.

import { foldersWith } from '@ironlaw/contracts/artifact'
import { FIGURES_FILE } from '@ironlaw/contracts/data-figures'
import { DATA_ORDER_FILE } from '@ironlaw/contracts/data-order'
import { TOKEN_DATASET_FILE } from '@ironlaw/contracts/token-dataset'

export const VIEWS = ['overview', 'steps', 'distributions', 'mixture', 'document', 'versions'] as const
export type View = (typeof VIEWS)[number]

/** By view: directories of the artifact that it can be shown for. */
export type ViewFolders = Readonly<Partial<Record<View, readonly string[]>>>

type Files = Parameters<typeof foldersWith>[0]

export function viewFolders(files: Files): ViewFolders {
  const figures = foldersWith(files, FIGURES_FILE)
  const orders = foldersWith(files, DATA_ORDER_FILE)
  const datasets = foldersWith(files, TOKEN_DATASET_FILE)
  return {
    ...(figures.length > 0 && { steps: figures, distributions: figures, versions: figures }),
    ...(orders.length > 0 && { mixture: orders }),
    ...(datasets.length > 0 && { document: datasets }),
  }
}

/** Those that the artifact has, in their order; none where there is only the overview. */
export const viewsOf = (folders: ViewFolders, isNamed: boolean): readonly View[] => {
  const shown = VIEWS.filter((view) => view === 'overview' || (folders[view] && (view !== 'versions' || isNamed)))
  return shown.length > 1 ? shown : []
}

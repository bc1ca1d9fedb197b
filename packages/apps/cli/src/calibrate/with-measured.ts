// Merges measured entries over a catalog: those of accelerators and storage that the catalog knows, or that are complete by themselves.

import { type Catalog, lookup, withOverlay } from '@ironlaw/catalog'
import { checkedOverlay } from '@ironlaw/catalog/schema'
import { currentVersion, type MeasuredDocument } from './measured-file.ts'

export function withMeasured(catalog: Catalog): Catalog {
  const version = currentVersion()
  return version ? withMeasuredDocument(catalog, version.document, version.file) : catalog
}

export const withMeasuredDocument = (catalog: Catalog, document: MeasuredDocument, file: string): Catalog =>
  withOverlay(catalog, checkedOverlay(catalog, knownEntries(catalog, document), file))

/** Accelerators defined in a user's file are unknown without that file, so their measurements are skipped. */
function knownEntries(catalog: Catalog, { catalog: entries }: MeasuredDocument): MeasuredDocument['catalog'] {
  const accelerators = Object.entries(entries['accelerators'] ?? {}).filter(([id]) => lookup(catalog, 'accelerators', id).ok)
  return { ...entries, accelerators: Object.fromEntries(accelerators) }
}

// The catalog that a command works with: the built-in one, the user's file laid over it, and over both what was measured here.

import { builtInCatalog, type Catalog, withOverlay } from '@ironlaw/catalog'
import { checkedOverlay } from '@ironlaw/catalog/schema'
import { withMeasured } from './calibrate/with-measured.ts'
import { readDocument } from './input-file.ts'

export const catalogFor = (file: string | undefined): Catalog => withMeasured(userCatalog(file))

/** Without what was measured. */
export function userCatalog(file: string | undefined): Catalog {
  return file === undefined ? builtInCatalog : withOverlay(builtInCatalog, checkedOverlay(builtInCatalog, readDocument(file), file))
}

// The catalog that a command works with: the built-in one, or that with the user's file laid over it.

import { builtInCatalog, type Catalog, withOverlay } from '@ironlaw/catalog'
import { checkedOverlay } from '@ironlaw/catalog/schema'
import { readDocument } from './input-file.ts'

export function catalogFor(file: string | undefined): Catalog {
  return file === undefined ? builtInCatalog : withOverlay(builtInCatalog, checkedOverlay(builtInCatalog, readDocument(file), file))
}

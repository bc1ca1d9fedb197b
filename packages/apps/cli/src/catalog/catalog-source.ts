// The catalog that a command uses: the built-in one, then the user's file, then the calibration of this machine, each overriding the last.

import { builtInCatalog, type Catalog, withOverlay } from '@ironlaw/catalog'
import { checkedOverlay } from '@ironlaw/catalog/schema'
import { withMeasured } from '../calibrate/with-measured.ts'
import { readDocument } from '../input-file.ts'

export const catalogFor = (file: string | undefined): Catalog => withMeasured(userCatalog(file))

/** Without the calibration. */
export function userCatalog(file: string | undefined): Catalog {
  return file === undefined ? builtInCatalog : withOverlay(builtInCatalog, checkedOverlay(builtInCatalog, readDocument(file), file))
}

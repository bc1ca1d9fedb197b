import type { Architecture } from '../architecture.ts'
import type { FieldReader } from '../field-reader.ts'

/** Reads one family's config. Bad fields are refused on the reader; the returned architecture is then not used. */
export type Importer = (config: FieldReader, modelType: string) => Architecture

// Databases inside this process, each a copy of one empty one.

import { PGlite } from '@electric-sql/pglite'
import { type Database, openEmbedded } from '../src/database.ts'

let dump: Promise<Blob> | undefined

/** Made once for all files of a worker: a new one costs 2.6 s of processor time, a copy 0.6. */
export const emptyDump = (): Promise<Blob> => (dump ??= dumpOfEmpty())

async function dumpOfEmpty(): Promise<Blob> {
  const pglite = await PGlite.create()
  const made = await pglite.dumpDataDir('none')
  await pglite.close()
  return made
}

/** Without a schema. */
export const openEmptyEmbedded = async (): Promise<Database> => openEmbedded('memory', await emptyDump())

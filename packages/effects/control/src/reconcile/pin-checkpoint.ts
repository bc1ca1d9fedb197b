// A run that begins with a checkpoint of another may wait long for its nodes, while the other continues to save. A file in `pins` of the
// other's directory keeps that checkpoint there (python/ironlaw/retention.py) until the new run has taken it over and removes the file.

import { join } from 'node:path'
import { type Database, runOf } from '@ironlaw/store'
import { specOfRun } from '../runs/run-spec.ts'
import type { SharedStorage, StorageAway } from '../storage/shared-storage.ts'
import { runDirectory, type Site } from './site.ts'

type PinOptions = { readonly storage: SharedStorage; readonly site: Pick<Site, 'runs'>; readonly run: string }

export async function pinSource(database: Database, { storage, site, run }: PinOptions): Promise<StorageAway | undefined> {
  const found = await runOf(database, run)
  const from = found && specOfRun(found).from
  if (!from) return undefined
  const file = join(runDirectory(site, from.run), 'pins', `${run}.json`)
  const written = await storage.perform('writePrivate', { file, text: `${JSON.stringify({ step: from.step })}\n` })
  return 'away' in written ? written : undefined
}

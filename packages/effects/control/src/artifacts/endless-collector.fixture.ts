// Collects without end, and says so before each removal, for a test that kills it.

import { openArtifacts, openStorage } from '@ironlaw/artifacts'
import { openPostgres } from '@ironlaw/store'
import { collectObjects } from './collect-objects.ts'
import { collectionTables } from './collection-tables.ts'

const [database = '', url = ''] = process.argv.slice(2)
const { storage, key } = await openArtifacts(openStorage(url))
const remove = (object: string): Promise<void> => {
  process.stdout.write('removing\n')
  return storage.remove(object)
}
const collector = {
  tables: collectionTables(openPostgres(database, { max: 2 })),
  artifacts: { storage: { ...storage, remove }, key },
  now: () => Date.now() / 1000,
  batch: 3,
  youngest_s: 0,
}
for (;;) await Array.fromAsync(collectObjects(collector))

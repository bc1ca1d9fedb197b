// The token of a run, in a file of its directory that only its owner may read: never in an environment, an argument or a log. The files of
// its program come with it.

import { join } from 'node:path'
import { pinSource } from '@ironlaw/control/pin-checkpoint'
import { filesDirectory, runDirectory, type Site } from '@ironlaw/control/site'
import type { SharedStorage, StorageAway } from '@ironlaw/control/shared-storage'
import { issueRunToken } from '@ironlaw/control/tokens'
import { type Database, runOf } from '@ironlaw/store'

type TokenTarget = { readonly storage: SharedStorage; readonly site: Site; readonly run: string; readonly at: number }

const TOKEN_BYTES = 4096

/** Why it could not be put there, when storage does not answer. A token that is there says that the files before it are whole. */
export async function provideToken(database: Database, { storage, site, run, at }: TokenTarget): Promise<StorageAway | undefined> {
  const file = join(runDirectory(site, run), 'token')
  const found = await storage.perform('read', { file, limit_bytes: TOKEN_BYTES })
  if ('away' in found) return found
  if (found.value !== null) return undefined
  const files = Object.entries((await runOf(database, run))?.program.files ?? {})
  for (const [name, text] of files) {
    const put = await storage.perform('writePrivate', { file: join(filesDirectory(site, run), name), text })
    if ('away' in put) return put
  }
  const pinned = await pinSource(database, { storage, site, run })
  if (pinned) return pinned
  const written = await storage.perform('writePrivate', { file, text: `${await issueRunToken(database, { run, at })}\n` })
  return 'away' in written ? written : undefined
}

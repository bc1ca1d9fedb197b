// The token of a run, in a file of its directory that only its owner may read: never in an environment, an argument or a log. The files of
// its program come with it.

import { join } from 'node:path'
import { makeOwnCertificate } from '@ironlaw/certificates'
import type { JobOwnership } from '@ironlaw/control/job-ownership'
import { pinSource } from '@ironlaw/control/pin-checkpoint'
import { filesDirectory, runDirectory, type Site } from '@ironlaw/control/site'
import type { SharedStorage, StorageAway } from '@ironlaw/control/shared-storage'
import { issueRunToken } from '@ironlaw/control/tokens'
import { type Database, runOf } from '@ironlaw/store'

type TokenTarget = {
  readonly storage: SharedStorage
  readonly site: Site
  readonly run: string
  readonly at: number
  /** Where jobs run as the users of their teams. */
  readonly ownership?: JobOwnership
}

const TOKEN_BYTES = 4096
const CERTIFICATE_BYTES = 64 * 1024
/** With which the run's agents on several nodes know each other; python/ironlaw/agent/sealed.py reads it. */
const LINK_CERTIFICATE = 'link.pem'

/** Why it could not be put there, when storage does not answer. A token that is there says that the files before it are whole. */
export async function provideToken(database: Database, target: TokenTarget): Promise<StorageAway | undefined> {
  const { storage, site, run, at, ownership } = target
  const user = await ownership?.claim(run)
  if (user && 'away' in user) return user
  // What is refused here is refused again when the job is submitted, to be told to whoever made the run.
  if (user && 'answer' in user) return undefined
  const file = join(runDirectory(site, run), 'token')
  const found = await storage.perform('read', { file, limit_bytes: TOKEN_BYTES })
  if ('away' in found) return found
  if (found.value !== null) return undefined
  const files = Object.entries((await runOf(database, run))?.program.files ?? {})
  for (const [name, text] of files) {
    const put = await storage.perform('writePrivate', { file: join(filesDirectory(site, run), name), text })
    if ('away' in put) return put
  }
  const certified = await provideLinkCertificate({ storage, site, run })
  if (certified) return certified
  const pinned = await pinSource(database, { storage, site, run })
  if (pinned) return pinned
  const written = await storage.perform('writePrivate', { file, text: `${await issueRunToken(database, { run, at })}\n` })
  return 'away' in written ? written : undefined
}

/** One that is there stays: agents may already hold it. */
async function provideLinkCertificate({ storage, site, run }: Omit<TokenTarget, 'at' | 'ownership'>): Promise<StorageAway | undefined> {
  const file = join(runDirectory(site, run), LINK_CERTIFICATE)
  const found = await storage.perform('read', { file, limit_bytes: CERTIFICATE_BYTES })
  if ('away' in found) return found
  if (found.value !== null) return undefined
  const written = await storage.perform('writePrivate', { file, text: await makeOwnCertificate(`run ${run}`) })
  return 'away' in written ? written : undefined
}

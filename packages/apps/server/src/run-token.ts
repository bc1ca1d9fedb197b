// The token of a run, in a file of its directory that only its owner may read: never in an environment, an argument or a log.

import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runDirectory, type Site } from '@ironlaw/control/site'
import { issueRunToken } from '@ironlaw/control/tokens'
import type { Database } from '@ironlaw/store'

type Wanted = { readonly site: Site; readonly run: string; readonly at: number }

export async function provideToken(database: Database, { site, run, at }: Wanted): Promise<void> {
  const file = join(runDirectory(site, run), 'token')
  if (existsSync(file)) return
  await mkdir(runDirectory(site, run), { recursive: true })
  await writeFile(`${file}.new`, `${await issueRunToken(database, { run, at })}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

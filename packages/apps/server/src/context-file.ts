// The file from which commands on this machine know where the control plane is and with which token they come. A token is made when
// the file has none that this database takes: whoever may start the control plane may administer it.

import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { issueToken, principalOf } from '@ironlaw/control/tokens'
import type { Database } from '@ironlaw/store'
import * as z from 'zod'

const CONTEXT = z.object({ token: z.string() })

export async function keepContext(
  database: Database,
  { file, api, at }: { readonly file: string; readonly api: string; readonly at: number },
): Promise<void> {
  const kept = existsSync(file) ? CONTEXT.safeParse(JSON.parse(await readFile(file, 'utf8'))) : undefined
  const principal = kept?.success ? await principalOf(database, `Bearer ${kept.data.token}`) : undefined
  const isAdmin = principal?.kind === 'person' && principal.role === 'admin'
  const token =
    kept?.success && isAdmin
      ? kept.data.token
      : (await issueToken(database, { name: 'local-admin', role: 'admin', actor: 'server', at })).secret
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, `${JSON.stringify({ api, token })}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

// The file that gives commands on this machine the address of the control plane and a token. A token is created when the file has none
// that this database accepts: a user who may start the control plane may administer it. Other control planes in the file are kept.

import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { issueToken, principalOf } from '@ironlaw/control/tokens'
import { EVERY_PROJECT, hasRole, IronlawError } from '@ironlaw/contracts'
import {
  contextDocument,
  type ControlContexts,
  NO_CONTEXTS,
  readContexts,
  withStartedContext,
  freeContextName,
} from '@ironlaw/contracts/control-contexts'
import type { Database } from '@ironlaw/store'

export type SavedContext = {
  readonly file: string
  /** Under which this control plane stands in the file. */
  readonly name: string
  /** The one that commands use unless they name another. */
  readonly current: string
  readonly token: string
}

type SaveOptions = { readonly file: string; readonly api: string; readonly ca?: string; readonly at: number }

export async function saveContext(database: Database, { file, api, ca, at }: SaveOptions): Promise<SavedContext> {
  const kept = await loadContexts(file)
  const known = await knownEntry(database, kept, { api, at })
  const name = known?.name ?? freeContextName(kept, api)
  const token = known?.token ?? (await issueToken(database, { name: 'local-admin', role: 'admin', actor: 'server', at })).secret
  const contexts = withStartedContext(kept, name, { api, token, ...(ca !== undefined && { ca }) })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.new`
  await writeFile(draft, `${JSON.stringify(contextDocument(contexts))}\n`, { mode: 0o600 })
  await rename(draft, file)
  return { file, name, current: contexts.current ?? name, token }
}

async function loadContexts(file: string): Promise<ControlContexts> {
  if (!existsSync(file)) return NO_CONTEXTS
  const contexts = readContexts(parseJson(await readFile(file, 'utf8')))
  if (contexts) return contexts
  throw new IronlawError(
    'IL_DOCUMENT',
    { path: file, reason: 'it does not hold addresses and tokens of control planes' },
    { next: 'move the file away and start "ironlaw up" again, which writes a new one; "ironlaw context add" adds other control planes' },
  )
}

/** The entry of an earlier start with this database, the one with the same address first. */
async function knownEntry(
  database: Database,
  { entries }: ControlContexts,
  { api, at }: Pick<SaveOptions, 'api' | 'at'>,
): Promise<{ name: string; token: string } | undefined> {
  const ours = [...entries]
    .filter(([, { madeBy }]) => madeBy === 'up')
    .toSorted(([, a], [, b]) => Number(b.api === api) - Number(a.api === api))
  for (const [name, { token }] of ours) {
    const principal = await principalOf(database, { authorization: `Bearer ${token}`, at })
    if (principal && hasRole(principal, 'admin', EVERY_PROJECT)) return { name, token }
  }
  return undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Refused by the schema like any other value.
    return undefined
  }
}

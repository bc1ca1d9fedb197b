// The context file of this user. It holds tokens, so it is written atomically and only its owner may read it.

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { contextDocument, type ControlContexts, readContexts } from '@ironlaw/contracts/control-contexts'
import { readDocument } from '../input-file.ts'

/** `||`: an empty variable counts as unset. */
export const contextFile = (): string => process.env['IRONLAW_CONTEXT'] || join(homedir(), '.ironlaw', 'context.json')

/** Undefined if the file does not exist. */
export function readContextFile(): ControlContexts | undefined {
  const file = contextFile()
  if (!existsSync(file)) return undefined
  const contexts = readContexts(readDocument(file))
  if (contexts) return contexts
  throw new IronlawError(
    'IL_DOCUMENT',
    { path: file, reason: 'it does not hold addresses and tokens of control planes' },
    { next: 'move the file away and start "ironlaw up" again, which writes a new one; "ironlaw context add" adds other control planes' },
  )
}

export function writeContextFile(contexts: ControlContexts): void {
  const file = contextFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.new`
  writeFileSync(draft, `${JSON.stringify(contextDocument(contexts))}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

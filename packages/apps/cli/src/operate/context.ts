// Where the control plane is and who we are: from the environment, or from the file that `ironlaw up` writes.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import * as z from 'zod'
import { readDocument } from '../input-file.ts'

const CONTEXT = z.object({ api: z.url(), token: z.string().min(1) })

export type Context = z.infer<typeof CONTEXT>

export function context(): Context {
  const api = process.env['IRONLAW_API']
  const token = process.env['IRONLAW_TOKEN']
  if (api && token) return { api, token }
  const file = process.env['IRONLAW_CONTEXT'] ?? join(homedir(), '.ironlaw', 'context.json')
  if (!existsSync(file)) throw new IronlawError('IL_NO_CONTEXT', { file })
  const found = CONTEXT.parse(readDocument(file))
  return { api: api ?? found.api, token: token ?? found.token }
}

// Where the control plane is and who we are: from the environment, or from the file that `ironlaw up` writes.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import * as z from 'zod'
import { readDocument } from '../input-file.ts'

const CONTEXT = z.object({ api: z.url(), token: z.string().min(1) })

export type Context = z.infer<typeof CONTEXT> & {
  /** Where the token comes from, for whoever has to replace it: IRONLAW_TOKEN, or a file. */
  readonly tokenFrom?: string
}

const TOKEN_VARIABLE = 'IRONLAW_TOKEN'

export function context(): Context {
  const api = process.env['IRONLAW_API']
  const token = process.env[TOKEN_VARIABLE]
  if (api !== undefined && !URL.canParse(api))
    throw new IronlawError(
      'IL_USAGE',
      { problem: `IRONLAW_API is "${api}", which is not a URL`, command: '' },
      { next: 'set it to the address that "ironlaw up" prints, such as http://127.0.0.1:7600, or unset it' },
    )
  if (api && token) return { api, token, tokenFrom: TOKEN_VARIABLE }
  const file = process.env['IRONLAW_CONTEXT'] ?? join(homedir(), '.ironlaw', 'context.json')
  if (!existsSync(file)) throw new IronlawError('IL_NO_CONTEXT', { file })
  const found = CONTEXT.safeParse(readDocument(file))
  if (!found.success)
    throw new IronlawError(
      'IL_DOCUMENT',
      { path: file, reason: 'it does not hold the address and the token of a control plane' },
      { next: 'remove the file and start "ironlaw up" again, which writes it' },
    )
  return { api: api ?? found.data.api, token: token ?? found.data.token, tokenFrom: token ? TOKEN_VARIABLE : file }
}

// The address and token of the control plane: a context named with --context, the environment, or the current context of the context file.

import { IronlawError } from '@ironlaw/contracts'
import { namedContext } from '@ironlaw/contracts/control-contexts'
import { CONTEXT_NAME_VARIABLE } from '../command.ts'
import { authorityFromEnvironment } from './authority.ts'
import { contextFile, readContextFile } from './context-file.ts'

export type Context = {
  readonly api: string
  readonly token: string
  /** The authority of its certificate, in PEM, where this machine does not know it. */
  readonly ca?: string
  /** Where the token comes from, so that errors can say what to replace: IRONLAW_TOKEN, or a file. */
  readonly tokenFrom?: string
  /** Name of the context in the file. */
  readonly name?: string
  /** Who signed in with "ironlaw login". */
  readonly person?: string | undefined
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
  const ca = authorityFromEnvironment()
  if (api && token) return { api, token, tokenFrom: TOKEN_VARIABLE, ...ca }
  const kept = contextFromFile()
  return { ...kept, ...ca, api: api ?? kept.api, token: token ?? kept.token, tokenFrom: token ? TOKEN_VARIABLE : contextFile() }
}

function contextFromFile(): Context {
  const file = contextFile()
  const contexts = readContextFile()
  if (!contexts) throw new IronlawError('IL_NO_CONTEXT', { file })
  const name = process.env[CONTEXT_NAME_VARIABLE] || contexts.current
  if (name !== undefined) return { ...namedContext(contexts, name, file), name }
  const names = [...contexts.entries.keys()]
  throw new IronlawError('IL_NO_CURRENT_CONTEXT', { file, names: names.length === 0 ? 'none' : names.join(', ') })
}

// `ironlaw context`: the control planes that commands know, and which one they use.

import { readFileSync } from 'node:fs'
import { IronlawError } from '@ironlaw/contracts'
import {
  withContext,
  type ControlContexts,
  isContextName,
  namedContext,
  NO_CONTEXTS,
  withoutContext,
} from '@ironlaw/contracts/control-contexts'
import type { CommandAnswer } from '../answer.ts'
import { CONTEXT_NAME_VARIABLE } from '../command.ts'
import { readText } from '../input-file.ts'
import { table } from '../table.ts'
import { readAuthority } from './authority.ts'
import { contextFile, readContextFile, writeContextFile } from './context-file.ts'

export function contextsAnswer(): CommandAnswer {
  const { current, entries } = knownContexts()
  const items = [...entries]
    .map(([name, { api }]) => ({ name, api, current: name === current }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const rows = items.map(({ name, api, current: isCurrent }) => [isCurrent ? '*' : '', name, api])
  return {
    json: { file: contextFile(), items },
    text: () =>
      items.length === 0
        ? 'No contexts yet. "ironlaw up" starts a control plane here; "ironlaw context add" adds one elsewhere.'
        : table(['', 'CONTEXT', 'CONTROL PLANE'], rows),
    notes: environmentNotes(),
  }
}

export function switchContext(name: string): CommandAnswer {
  const known = knownContexts()
  const { api } = namedContext(known, name, contextFile())
  writeContextFile({ ...known, current: name })
  return { json: { name, api }, text: () => `${name} is the current context: ${api}`, notes: environmentNotes() }
}

export type AddFlags = { readonly api: string; readonly tokenFile: string; readonly ca?: string; readonly replace?: true }

export function addContextEntry(name: string, { api, tokenFile, ca, replace }: AddFlags): CommandAnswer {
  const known = knownContexts()
  if (!isContextName(name)) throw usage(`"${name}" is not a context name: use at most 63 letters, digits, ".", "_" and "-"`)
  if (!URL.canParse(api) || !/^https?:$/.test(new URL(api).protocol))
    throw usage(`--api ${api}: expected an address such as https://ironlaw.example.org`)
  if (known.entries.has(name) && replace !== true)
    throw usage(`there is a context "${name}" already: ${known.entries.get(name)?.api}`, 'choose another name, or pass --replace')
  const token = readToken(tokenFile)
  const contexts = withContext(known, name, { api, token, ...(ca !== undefined && { ca: readAuthority(ca, 'context add') }) })
  writeContextFile(contexts)
  const isCurrent = contexts.current === name
  const next = isCurrent
    ? 'it is the current one'
    : `"ironlaw get --context ${name}" tries it, "ironlaw context use ${name}" makes it the current one`
  return { json: { name, api, current: isCurrent }, text: () => `${name} is added: ${api}; ${next}` }
}

export function removeContextEntry(name: string): CommandAnswer {
  const known = knownContexts()
  const { api } = namedContext(known, name, contextFile())
  const contexts = withoutContext(known, name)
  writeContextFile(contexts)
  const next =
    known.current === name && contexts.entries.size > 0 ? '; no context is current now: choose one with "ironlaw context use NAME"' : ''
  return { json: { name, api }, text: () => `${name} is removed; its token stays valid until "ironlaw token revoke" ends it${next}` }
}

const knownContexts = (): ControlContexts => readContextFile() ?? NO_CONTEXTS

/** Anything else means the wrong file, such as the JSON that "ironlaw token create --json" prints. */
const TOKEN = /^il_[\w-]{10,100}$/

function readToken(path: string): string {
  const text = (path === '-' ? readFileSync(0, 'utf8') : readText(path)).trim()
  if (TOKEN.test(text)) return text
  throw usage(
    `--token-file ${path}: expected only a token, which begins with "il_"`,
    'write there what "ironlaw token create" printed after "token (shown only once):"',
  )
}

/** Warns that the environment of this shell overrides the current context. */
function environmentNotes(): readonly string[] {
  const set = ['IRONLAW_API', 'IRONLAW_TOKEN', CONTEXT_NAME_VARIABLE].filter((name) => process.env[name])
  return set.length === 0
    ? []
    : [`${set.join(' and ')} ${set.length === 1 ? 'is' : 'are'} set; the environment overrides the current context`]
}

function usage(problem: string, next?: string): IronlawError {
  return new IronlawError('IL_USAGE', { problem, command: 'context add' }, next === undefined ? {} : { next })
}

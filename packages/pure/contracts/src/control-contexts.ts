// The control planes that the commands of one person know: the context file. The current one stands at the top of the file, as it did when
// there could be only one, so that files and commands of both ages read each other.

import * as z from 'zod'
import { IronlawError } from './error.ts'
import { nearestNames } from './nearest.ts'
import { readValue } from './read-value.ts'

const ENTRY = z.object({
  api: z.url({ protocol: /^https?$/ }),
  token: z.string().min(1),
  /** The authority that its certificate comes from, in PEM, where it is none that this machine trusts anyway. */
  ca: z.string().min(1).exactOptional(),
  /** "ironlaw up" wrote it and keeps it up to date; what a person added is never overwritten. */
  madeBy: z.literal('up').optional(),
  /** Who signed in with "ironlaw login", which may replace the token. */
  person: z.string().optional(),
})

export type ControlContext = z.infer<typeof ENTRY>

const NAME = z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/)

/** A file from before contexts had names holds only `api` and `token`. */
const FILE = z.union([
  ENTRY.extend({ name: NAME.optional(), others: z.record(NAME, ENTRY).default({}) }),
  // Nothing is current: it was removed.
  z.object({ api: z.never().optional(), token: z.never().optional(), others: z.record(NAME, ENTRY) }),
])

export type ControlContexts = {
  readonly current: string | undefined
  readonly entries: ReadonlyMap<string, ControlContext>
}

export const NO_CONTEXTS: ControlContexts = { current: undefined, entries: new Map() }

/** What "ironlaw up" calls the control plane of this machine, and what one without a name is called. */
const LOCAL = 'local'

export const isContextName = (name: string): boolean => NAME.safeParse(name).success

/** Undefined where it is not the content of a context file. */
export function readContexts(document: unknown): ControlContexts | undefined {
  const found = readValue(FILE, document)
  if (!found.success) return undefined
  const others = Object.entries(found.data.others)
  if (found.data.api === undefined) return { current: undefined, entries: new Map(others) }
  const { name, others: _others, ...entry } = found.data
  const current = name ?? LOCAL
  return { current, entries: new Map([...others, [current, name === undefined ? { ...entry, madeBy: 'up' } : entry]]) }
}

export function contextDocument({ current, entries }: ControlContexts): object {
  const others = Object.fromEntries([...entries].filter(([name]) => name !== current))
  return current === undefined ? { others } : { name: current, ...entries.get(current), others }
}

/** The first one that is added is the current one. */
export function withContext({ current, entries }: ControlContexts, name: string, entry: ControlContext): ControlContexts {
  return { current: current ?? name, entries: new Map([...entries, [name, entry]]) }
}

export function withoutContext({ current, entries }: ControlContexts, name: string): ControlContexts {
  return { current: current === name ? undefined : current, entries: new Map([...entries].filter(([each]) => each !== name)) }
}

/** What becomes of the file when a control plane starts on this machine. The current one changes only where it was such a control plane too. */
export function withStartedContext(
  { current, entries }: ControlContexts,
  name: string,
  entry: Omit<ControlContext, 'madeBy' | 'person'>,
): ControlContexts {
  const isOurs = current === undefined || entries.get(current)?.madeBy === 'up'
  return { current: isOurs ? name : current, entries: new Map([...entries, [name, { ...entry, madeBy: 'up' }]]) }
}

/** A name for a control plane of this machine that has no entry yet; the entries of others, here or elsewhere, stay. */
export function freeContextName({ entries }: ControlContexts, api: string): string {
  const isFree = (name: string): boolean => {
    const entry = entries.get(name)
    return entry === undefined || (entry.madeBy === 'up' && entry.api === api)
  }
  const byPort = `${LOCAL}-${new URL(api).port}`
  const numbered = Array.from(entries.keys(), (_, index) => `${byPort}-${index + 2}`)
  return [LOCAL, byPort, ...numbered].find(isFree) ?? byPort
}

export function namedContext({ entries }: ControlContexts, name: string, file: string): ControlContext {
  const entry = entries.get(name)
  if (entry) return entry
  const names = [...entries.keys()].map((each) => ({ name: each }))
  const near = nearestNames(name, names)
  const suggestion = near.length > 0 ? `did you mean ${near.join(' or ')}? ` : ''
  throw new IronlawError('IL_UNKNOWN_CONTEXT', { name, file, suggestion: `${suggestion}"ironlaw context list" shows all of them` })
}

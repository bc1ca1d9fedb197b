// Documents that are replaced as a whole: a writer says which one they have seen (RFC 9110, section 13.1.1; RFC 6585, section 3), so that an old
// file does not undo what others changed since.

import { IronlawError } from '@ironlaw/contracts'
import { type Database, newestEvents } from '@ironlaw/store'
import * as z from 'zod'

/** Who replaces a document, and the one that they have seen. */
export type Edit = { readonly ifMatch: string | undefined; readonly actor: string; readonly at: number }

/** The tag without its quotes, strong or weak. */
export const seenTag = ({ ifMatch }: Edit): string | undefined => ifMatch?.replace(/^(?:W\/)?"(.*)"$/, '$1')

export type SeenDocument = {
  /** As people call it. */
  readonly what: string
  readonly stream: string
  /** Of the events that are changes of it. */
  readonly kind: string
  readonly changeText: (body: object) => string
}

type Refused = { readonly answer: 'unseen' | 'stale'; readonly etag: string; readonly seen: string | undefined }

/** Why it is not replaced: the writer saw none, or another, and what has changed since. */
export async function unseenError(database: Database, document: SeenDocument, { answer, etag, seen }: Refused): Promise<IronlawError> {
  const { what } = document
  if (answer === 'unseen') return new IronlawError('IL_UNSEEN', { what, etag })
  return new IronlawError('IL_STALE', { what, changes: await changesSince(database, document, seen) })
}

/** How many changes are searched for the one that a writer has seen. */
const CHANGES_SEARCHED = 100
/** How many changes are listed to a writer who has seen an older document. */
const CHANGES_LISTED = 5
const CHANGED = z.looseObject({ etag: z.string().optional() })

async function changesSince(database: Database, { stream, kind, changeText }: SeenDocument, etag: string | undefined): Promise<string> {
  const events = await newestEvents(database, stream, CHANGES_SEARCHED)
  const edits = events.filter((event) => event.kind === kind).toSorted((one, other) => other.sequence - one.sequence)
  const known = edits.findIndex(({ body }) => CHANGED.parse(body).etag === etag)
  const since = known === -1 ? edits : edits.slice(0, known)
  const listed = since.slice(0, CHANGES_LISTED).map(({ actor, body }) => `${actor}: ${changeText(body)}`)
  return [...listed, ...(since.length > CHANGES_LISTED ? [`and ${since.length - CHANGES_LISTED} changes before`] : [])].join('; ')
}

// `ironlaw session`: who is signed in, and ending it.

import { IronlawError } from '@ironlaw/contracts'
import type { CommandAnswer } from '../answer.ts'
import { api, find } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { showDuration } from '../run/run-text.ts'
import { table } from '../table.ts'

export async function listSessions(): Promise<CommandAnswer> {
  const { items } = await api(context()).listSessions({})
  const now = Date.now() / 1000
  const rows = items.map(({ id, person, name, kind, issued_at, last_used_at, expires_at }) => [
    id,
    person,
    name,
    kind === 'console' ? 'console' : 'command line',
    showDuration(Math.max(0, now - issued_at)),
    `${showDuration(Math.max(0, now - last_used_at))} ago`,
    `in ${showDuration(Math.max(0, expires_at - now))}`,
  ])
  return {
    json: { items },
    text: () =>
      items.length === 0 ? 'nobody is signed in' : table(['SESSION', 'PERSON', 'NAME', 'IN', 'AGE', 'LAST USE', 'ENDS'], rows, [4]),
  }
}

/** One by its id, or all of a person. */
export async function revokeSessions(given: string): Promise<CommandAnswer> {
  const to = context()
  const { items } = await api(to).listSessions({})
  // The session that asks may be among them; it was used last, and ends last.
  const ids = items
    .filter(({ id, person }) => id === given || person === given)
    .toSorted((a, b) => a.last_used_at - b.last_used_at)
    .map(({ id }) => id)
  if (ids.length === 0) throw new IronlawError('IL_NOT_FOUND', { kind: 'session', id: given })
  // One that ended meanwhile is what was wanted.
  for (const id of ids) await find(api(to).revokeSession({ id }))
  return { json: { revoked: ids }, text: () => ids.map((id) => `${id} is revoked`).join('\n') }
}

// `ironlaw token`: who may use the control plane, by role.

import { IronlawError, type Role, ROLES } from '@ironlaw/contracts'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { showDuration } from '../run/run-text.ts'

export async function createToken(name: string, role: string): Promise<CommandAnswer> {
  if (!isRole(role))
    throw new IronlawError('IL_USAGE', { problem: `--role ${role}: expected one of ${ROLES.join(', ')}`, command: 'token create' })
  const made = await api(context()).createToken({ body: { name, role } })
  return { json: made, text: () => `${made.id}, role ${made.role}\ntoken (shown only once): ${made.secret}` }
}

/** Ids are names with a unique suffix. */
const nameOf = (id: string): string => id.replace(/-[a-z\d]+$/, '')

const isRole = (role: string): role is Role => ROLES.some((each) => each === role)

export async function listTokens(): Promise<CommandAnswer> {
  const { items } = await api(context()).listTokens({})
  const now = Date.now() / 1000
  const rows = items.map(({ id, role, created_at, revoked_at }) => [
    id,
    role,
    showDuration(now - created_at),
    revoked_at === undefined ? '' : `revoked ${showDuration(now - revoked_at)} ago`,
  ])
  return { json: { items }, text: () => table(['TOKEN', 'ROLE', 'AGE', ''], rows, [2]) }
}

/** By id, or by name if only one token has it. */
export async function revokeToken(given: string): Promise<CommandAnswer> {
  const { items } = await api(context()).listTokens({})
  const named = items.filter(({ id, revoked_at }) => revoked_at === undefined && nameOf(id) === given).map(({ id }) => id)
  const [id = given, ...others] = items.some((each) => each.id === given) ? [given] : named
  if (others.length > 0)
    throw new IronlawError(
      'IL_USAGE',
      { problem: `${named.length} tokens are called "${given}"`, command: 'token revoke' },
      { next: `name one of them: ${named.join(', ')}` },
    )
  await api(context()).revokeToken({ id })
  return { json: { id }, text: () => `${id} is revoked` }
}

// `ironlaw token`: who may use the control plane, by role and project.

import { IronlawError, type Role, ROLES } from '@ironlaw/contracts'
import type { TokenView } from '@ironlaw/contracts/api'
import { parse } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { showDuration } from '../run/run-text.ts'

export type TokenFlags = {
  readonly role: string
  readonly project?: readonly string[]
  readonly expires?: string
  readonly gateway?: string
}

export async function createToken(name: string, { role, project, expires, gateway }: TokenFlags): Promise<CommandAnswer> {
  if (!isRole(role))
    throw new IronlawError('IL_USAGE', { problem: `--role ${role}: expected one of ${ROLES.join(', ')}`, command: 'token create' })
  const made = await api(context()).createToken({
    body: {
      name,
      role,
      ...(project && { projects: [...project] }),
      ...(gateway !== undefined && { gateway }),
      ...(expires !== undefined && { expires_at: timeAfter('--expires', expires) }),
    },
  })
  return { json: made, text: () => `${made.id}, ${scopeText(made)}\ntoken (shown only once): ${made.secret}` }
}

export type RotateFlags = { readonly overlap?: string; readonly expires?: string }

/** By id, or by name if only one token has it. */
export async function rotateToken(given: string, { overlap, expires }: RotateFlags): Promise<CommandAnswer> {
  const id = await tokenId(given, 'token rotate')
  const made = await api(context()).rotateToken({
    id,
    body: {
      ...(overlap !== undefined && { overlap_s: secondsOf('--overlap', overlap) }),
      ...(expires !== undefined && { expires_at: timeAfter('--expires', expires) }),
    },
  })
  const old = overlap === undefined ? 'the secret before is no longer valid' : `the secret before is valid for ${overlap}`
  return { json: made, text: () => `${made.id}, ${scopeText(made)}; ${old}\ntoken (shown only once): ${made.secret}` }
}

export async function listTokens(): Promise<CommandAnswer> {
  const { items } = await api(context()).listTokens({})
  const now = Date.now() / 1000
  const rows = items.map((token) => [
    token.id,
    token.role,
    holdsIn(token),
    showDuration(now - token.created_at),
    token.last_used_at === undefined ? 'never' : `${showDuration(Math.max(0, now - token.last_used_at))} ago`,
    stateText(token, now),
  ])
  return { json: { items }, text: () => table(['TOKEN', 'ROLE', 'WHERE', 'AGE', 'LAST USE', ''], rows, [3]) }
}

/** By id, or by name if only one token has it. */
export async function revokeToken(given: string): Promise<CommandAnswer> {
  const id = await tokenId(given, 'token revoke')
  await api(context()).revokeToken({ id })
  return { json: { id }, text: () => `${id} is revoked` }
}

/** Ids are names with a unique suffix. */
const nameOf = (id: string): string => id.replace(/-[a-z\d]+$/, '')

const isRole = (role: string): role is Role => ROLES.some((each) => each === role)

async function tokenId(given: string, command: string): Promise<string> {
  const to = context()
  const own = await api(to).getPrincipal({})
  if (own.id === given) return given
  const { items } = await api(to).listTokens({})
  const named = items.filter(({ id, revoked_at }) => revoked_at === undefined && nameOf(id) === given).map(({ id }) => id)
  const [id = given, ...others] = items.some((each) => each.id === given) ? [given] : named
  if (others.length === 0) return id
  throw new IronlawError(
    'IL_USAGE',
    { problem: `${named.length} tokens are called "${given}"`, command },
    { next: `name one of them: ${named.join(', ')}` },
  )
}

function secondsOf(flag: string, text: string): number {
  const parsed = parse(text, 's')
  if (parsed.ok) return parsed.value
  throw new IronlawError('IL_QUANTITY', { name: flag, reason: parsed.reason })
}

const timeAfter = (flag: string, text: string): number => Date.now() / 1000 + secondsOf(flag, text)

type TokenScope = Pick<TokenView, 'role' | 'projects' | 'gateway'>

const scopeText = (token: TokenScope): string => `role ${token.role} ${token.role === 'gateway' ? 'of' : 'in'} ${holdsIn(token)}`

function holdsIn({ role, projects, gateway }: TokenScope): string {
  if (role === 'gateway') return gateway ?? 'the first gateway that uses it'
  return projects ? projects.join(', ') : 'every project'
}

function stateText({ revoked_at, expires_at }: TokenView, now: number): string {
  if (revoked_at !== undefined) return `revoked ${showDuration(now - revoked_at)} ago`
  if (expires_at === undefined) return ''
  return expires_at > now ? `expires in ${showDuration(expires_at - now)}` : `expired ${showDuration(now - expires_at)} ago`
}

// Who may call which operation, as one table: the reference prints it, and a test asks a control plane for every cell of it. It is written
// apart from the code that decides, so that one can be wrong without the other.

import { type Grant, PROJECT_ROLES, type ProjectRole } from '@ironlaw/contracts'
import type { Operation } from '@ironlaw/contracts/operation'

/** Kinds of callers; the object that they ask for belongs to the project alpha. */
export type AccessCaller = {
  readonly name: string
  readonly is: 'invalid' | 'person' | 'gateway' | 'own run' | 'other run'
  readonly grants: readonly Grant[]
}

/**
 * `unauthenticated`: 401. `forbidden`: 403. `absent`: 404, as for what does not exist. `filtered`: a list without what belongs to alpha.
 */
export type AccessOutcome = 'unauthenticated' | 'forbidden' | 'absent' | 'filtered' | 'allowed'

const personIn = (role: ProjectRole, ...projects: readonly string[]): AccessCaller => ({
  name: `${role} of ${projects.map((project) => (project === '*' ? 'the site' : project)).join(' and ')}`,
  is: 'person',
  grants: projects.map((project) => ({ role, project })),
})

export const ACCESS_CALLERS: readonly AccessCaller[] = [
  ...['no token', 'expired token', 'revoked token'].map((name) => ({ name, is: 'invalid' as const, grants: [] })),
  ...PROJECT_ROLES.map((role) => personIn(role, 'alpha')),
  ...PROJECT_ROLES.map((role) => personIn(role, 'beta')),
  personIn('member', 'alpha', 'beta'),
  {
    name: 'viewer of alpha, admin of beta',
    is: 'person',
    grants: [
      { role: 'viewer', project: 'alpha' },
      { role: 'admin', project: 'beta' },
    ],
  },
  ...PROJECT_ROLES.map((role) => personIn(role, '*')),
  { name: 'gateway', is: 'gateway', grants: [] },
  { name: 'run of alpha', is: 'own run', grants: [] },
  { name: 'run of beta', is: 'other run', grants: [] },
]

/** What an operation is about: a token is found by those who may manage it, other objects by those who may see them. */
function subjectOf({ method, url, need }: Pick<Operation, 'method' | 'url' | 'need'>): 'token' | 'object' | 'list' | 'new' | 'none' {
  if (url.startsWith('/v1/tokens/:')) return 'token'
  if (typeof need === 'string' || need.scope !== 'project') return 'none'
  if (url.includes(':')) return 'object'
  return method === 'GET' ? 'list' : 'new'
}

const rankOf = (grants: readonly Grant[], projects: readonly string[]): number =>
  Math.max(-1, ...grants.filter(({ project }) => projects.includes(project)).map(({ role }) => PROJECT_ROLES.indexOf(role)))

const SITE = ['*']
const ALPHA = ['*', 'alpha']
const SOMEWHERE = ['*', 'alpha', 'beta']

export function accessOutcome(operation: Pick<Operation, 'method' | 'url' | 'need'>, { is, grants }: AccessCaller): AccessOutcome {
  const { need } = operation
  if (need === 'open') return 'allowed'
  if (is === 'invalid') return 'unauthenticated'
  if (need === 'run') return is === 'own run' ? 'allowed' : 'forbidden'
  if (need === 'gateway') return is === 'gateway' || rankOf(grants, SITE) >= PROJECT_ROLES.indexOf('operator') ? 'allowed' : 'forbidden'
  const needed = PROJECT_ROLES.indexOf(need.role)
  if (rankOf(grants, need.scope === 'site' ? SITE : SOMEWHERE) < needed) return 'forbidden'
  switch (subjectOf(operation)) {
    case 'token':
      return rankOf(grants, ALPHA) >= PROJECT_ROLES.indexOf('admin') ? 'allowed' : 'absent'
    case 'object':
      if (rankOf(grants, ALPHA) < 0) return 'absent'
      return rankOf(grants, ALPHA) >= needed ? 'allowed' : 'forbidden'
    case 'list':
      return rankOf(grants, ALPHA) >= needed ? 'allowed' : 'filtered'
    case 'new':
      return rankOf(grants, ALPHA) >= needed ? 'allowed' : 'forbidden'
    case 'none':
      return 'allowed'
  }
}

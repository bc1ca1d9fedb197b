// What a caller may do, and where: a grant is a role in one project, or in every project and the site itself. What belongs to a project of
// which a caller has no grant does not exist for them.

export const PROJECT_ROLES = ['viewer', 'member', 'operator', 'admin'] as const

/** Each includes the ones before it. */
export type ProjectRole = (typeof PROJECT_ROLES)[number]

/** In a grant: every project, and what belongs to none, such as nodes. */
export const EVERY_PROJECT = '*'

export type Grant = { readonly role: ProjectRole; readonly project: string }

export type Principal =
  | { readonly kind: 'person'; readonly id: string; readonly name: string; readonly grants: readonly Grant[] }
  /** `gateway`: the only one that its token may speak for; absent until the token was used, unless it was made for one. */
  | { readonly kind: 'gateway'; readonly id: string; readonly name: string; readonly gateway?: string }
  /** The token that a job carries: it may report on its own run and nothing else. */
  | { readonly kind: 'run'; readonly run: string; readonly project: string }

/**
 * What a person needs for an operation. Scope `project`: the role in the project of the object; a list has what belongs to the caller's
 * projects. `site`: the role everywhere. `any`: the role in some project.
 */
export type PersonNeed = { readonly role: ProjectRole; readonly scope: 'project' | 'site' | 'any' }

export type Need = PersonNeed | 'run' | 'gateway'

export const includesRole = (has: ProjectRole, role: ProjectRole): boolean => PROJECT_ROLES.indexOf(has) >= PROJECT_ROLES.indexOf(role)

/** The projects in which a caller has a role, or a higher one. */
export function projectsOf(principal: Principal, role: ProjectRole): typeof EVERY_PROJECT | readonly string[] {
  if (principal.kind !== 'person') return []
  const projects = principal.grants.filter((grant) => includesRole(grant.role, role)).map(({ project }) => project)
  return projects.includes(EVERY_PROJECT) ? EVERY_PROJECT : [...new Set(projects)]
}

/** In a project, or everywhere for `*`. */
export function hasRole(principal: Principal, role: ProjectRole, project: string): boolean {
  const projects = projectsOf(principal, role)
  return projects === EVERY_PROJECT || projects.includes(project)
}

/** The highest role of a caller in a project. */
export const roleIn = (principal: Principal, project: string): ProjectRole | undefined =>
  PROJECT_ROLES.findLast((role) => hasRole(principal, role, project))

/** Whether a caller may ask at all; for the scope `project`, the project of the object decides afterwards. */
export function isAllowed(principal: Principal, need: Need): boolean {
  if (need === 'run') return principal.kind === 'run'
  if (need === 'gateway') return principal.kind === 'gateway' || hasRole(principal, 'operator', EVERY_PROJECT)
  return need.scope === 'site' ? hasRole(principal, need.role, EVERY_PROJECT) : projectsOf(principal, need.role).length > 0
}

/** `admin` everywhere, or `member in search, ranking`. */
export function grantsText(grants: readonly Grant[]): string {
  const roles = PROJECT_ROLES.toReversed().flatMap((role) => {
    const projects = grants.filter((grant) => grant.role === role).map(({ project }) => project)
    if (projects.length === 0) return []
    return [projects.includes(EVERY_PROJECT) ? `${role} everywhere` : `${role} in ${projects.join(', ')}`]
  })
  return roles.join('; ') || 'no role'
}

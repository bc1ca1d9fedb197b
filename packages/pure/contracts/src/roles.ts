// Who may do what. Every operation of the API names the role it needs; a role may do all that the ones before it may, except that
// `run` (the token a job carries) stands apart: it may report on its own run and nothing else.

export const ROLES = ['viewer', 'operator', 'admin'] as const

export type Role = (typeof ROLES)[number]

export type Principal =
  | { readonly kind: 'person'; readonly id: string; readonly name: string; readonly role: Role }
  | { readonly kind: 'run'; readonly run: string }

export type Need = Role | 'run'

export function may(principal: Principal, need: Need): boolean {
  if (principal.kind === 'run') return need === 'run'
  return need !== 'run' && ROLES.indexOf(principal.role) >= ROLES.indexOf(need)
}

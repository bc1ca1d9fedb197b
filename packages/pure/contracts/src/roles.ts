// Who may do what. Every operation of the API names what it needs. `run` (the token a job carries) stands apart: it may report on its own
// run and nothing else. So does `gateway`: it may tell its counts and take its configuration, so that a machine open to clients holds no
// token that could change the fleet.

export const ROLES = ['viewer', 'operator', 'admin', 'gateway'] as const

export type Role = (typeof ROLES)[number]

export type Principal =
  | {
      readonly kind: 'person'
      readonly id: string
      readonly name: string
      readonly role: Role
      /** The only one that a token of the role gateway may speak for, once it has spoken. */
      readonly gateway?: string
    }
  | { readonly kind: 'run'; readonly run: string }

export type RequiredRole = Role | 'run'

const ALLOWED: Readonly<Record<Role, readonly RequiredRole[]>> = {
  gateway: ['gateway'],
  viewer: ['viewer'],
  operator: ['viewer', 'operator', 'gateway'],
  admin: ['viewer', 'operator', 'gateway', 'admin'],
}

export const isAllowed = (principal: Principal, need: RequiredRole): boolean =>
  principal.kind === 'run' ? need === 'run' : ALLOWED[principal.role].includes(need)

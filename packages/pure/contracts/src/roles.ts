// The roles that a token is made with: those of people in projects, and `gateway`, which may only tell its counts and take its configuration,
// so that a machine open to clients holds no token that could change the fleet.

import { PROJECT_ROLES } from './grants.ts'

export const ROLES = [...PROJECT_ROLES, 'gateway'] as const

export type Role = (typeof ROLES)[number]

// Whether a caller may do what they ask, in the project of the object. What belongs to a project of which they have no grant is answered as if
// it did not exist; a role that is too low is told.

import { hasRole, IronlawError, type Principal, type ProjectRole, projectsOf } from '@ironlaw/contracts'
import { type Database, type Deployment, deploymentNamed, type Run, runOf } from '@ironlaw/store'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasText } from './authentication.ts'

/** Of a request that has been authenticated. */
export function callerOf({ principal }: Pick<FastifyRequest, 'principal'>): Principal {
  if (!principal) throw new IronlawError('IL_UNAUTHENTICATED', {})
  return principal
}

/** The projects in which the caller has a role. */
export const callerProjects = (request: FastifyRequest, role: ProjectRole): ReturnType<typeof projectsOf> =>
  projectsOf(callerOf(request), role)

/** In a project that the caller names, or everywhere for `*`. */
export function requireRole(request: FastifyRequest, role: ProjectRole, project: string): void {
  const caller = callerOf(request)
  if (hasRole(caller, role, project)) return
  request.refusedProject = project
  const where = project === '*' ? 'everywhere' : `in project ${project}`
  throw new IronlawError('IL_FORBIDDEN', { need: `the role ${role} ${where}`, has: hasText(caller) })
}

type OwnedObject = { readonly kind: string; readonly id: string; readonly project: string | undefined; readonly role: ProjectRole }

/** For an object that the caller asks for by its id; `project` is undefined where there is none. */
function requireVisible(request: FastifyRequest, { kind, id, project, role }: OwnedObject): void {
  if (project === undefined || !hasRole(callerOf(request), 'viewer', project)) {
    request.refusedProject = project ?? null
    throw new IronlawError('IL_NOT_FOUND', { kind, id })
  }
  requireRole(request, role, project)
}

/** In a project that is part of the path: for who has no grant of it, it does not exist. */
export const requireRoleInPath = (request: FastifyRequest, role: ProjectRole, project: string): void =>
  requireVisible(request, { kind: 'project', id: project, project, role })

const RUN_PATH = /^\/v1\/runs\/:id(?:\/|$)/

/** Every operation on a run that a person may call is checked here, before its handler. */
export function addRunAuthorization(app: FastifyInstance, database: Database): void {
  app.addHook('preHandler', async (request) => {
    const { config, url = '' } = request.routeOptions
    const { need } = config
    if (need === undefined || typeof need === 'string' || !RUN_PATH.test(url)) return
    if (callerProjects(request, need.role) === '*') return
    const { params } = request
    const id = typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : ''
    requireVisible(request, { kind: 'run', id, project: (await runOf(database, id))?.project, role: need.role })
  })
}

type NamedDeployment = { readonly name: string; readonly role: ProjectRole }

/** By its id, else by its name, among those of the caller's projects. */
export async function findDeployment(database: Database, request: FastifyRequest, { name, role }: NamedDeployment): Promise<Deployment> {
  const projects = callerProjects(request, 'viewer')
  const found = await deploymentNamed(database, name, projects)
  if (!found) {
    // Only the audit trail tells that there is one in another project.
    if (projects !== '*') request.refusedProject = (await deploymentNamed(database, name, '*'))?.project ?? null
    throw new IronlawError('IL_NOT_FOUND', { kind: 'deployment', id: name })
  }
  requireRole(request, role, found.project)
  return found
}

/** A run that a request names beside the one in its path. */
export async function requireVisibleRun(database: Database, request: FastifyRequest, id: string): Promise<Run> {
  const run = await runOf(database, id)
  requireVisible(request, { kind: 'run', id, project: run?.project, role: 'viewer' })
  if (!run) throw new IronlawError('IL_NOT_FOUND', { kind: 'run', id })
  return run
}

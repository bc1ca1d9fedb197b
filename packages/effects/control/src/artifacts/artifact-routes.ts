import { IronlawError } from '@ironlaw/contracts'
import type { ArtifactManifest } from '@ironlaw/contracts/artifact'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { ARTIFACT_ID_BEGINNING, artifactNames, type Database, listArtifacts, nameArtifact, removeArtifact, runOf } from '@ironlaw/store'
import { actorOf } from '../http/authentication.ts'
import { requireRoleInPath } from '../http/authorization.ts'
import { LIMITS } from '../http/body-check.ts'
import { sequenceCursor, sequencePosition } from '../http/cursors.ts'
import { route } from '../http/operation.ts'
import type { Api, ApiPorts } from '../http/ports.ts'
import { requireRun } from '../runs/run-view.ts'
import { artifactView, artifactViews, nameView, registrationView, requireArtifact, traceView } from './artifact-views.ts'
import { datasheetView } from './datasheet-view.ts'
import { removalConflict } from './removal-conflict.ts'

/** Looking for every object of a large artifact takes its time. */
const REGISTER_TIMEOUT_MS = 300_000
/** They are in every answer about the artifact. */
const MOST_FACTS_BYTES = 64 << 10

export function addArtifactRoutes(app: Api, ports: ApiPorts): void {
  const { database, artifacts } = ports
  addRegistration(app, ports)
  addRemoval(app, ports)
  app.route({ ...route(OPERATIONS.getArtifactStorage), handler: () => ({ url: artifacts.url() }) })
  app.route({
    ...route(OPERATIONS.listArtifacts),
    handler: async (request) => {
      const { project } = request.params
      requireRoleInPath(request, 'viewer', project)
      const { type, limit, cursor } = request.query
      const before = sequencePosition(cursor)
      const rows = await listArtifacts(database, { project, ...(type && { type }) }, { limit, ...(before !== undefined && { before }) })
      const last = rows.length === limit ? rows.at(-1) : undefined
      return { items: await artifactViews(database, project, rows), next: last ? sequenceCursor(last.sequence) : null }
    },
  })
  app.route({
    ...route(OPERATIONS.getArtifact),
    handler: async (request) => {
      const { project, artifact } = request.params
      requireRoleInPath(request, 'viewer', project)
      return artifactView(database, await requireArtifact(database, project, artifact))
    },
  })
  app.route({
    ...route(OPERATIONS.getArtifactManifest),
    handler: async (request) => {
      const { project, artifact } = request.params
      requireRoleInPath(request, 'viewer', project)
      return artifacts.manifest((await requireArtifact(database, project, artifact)).id)
    },
  })
  app.route({
    ...route(OPERATIONS.getArtifactFile),
    handler: async (request) => {
      const { project, artifact } = request.params
      requireRoleInPath(request, 'viewer', project)
      return artifacts.file((await requireArtifact(database, project, artifact)).id, request.query)
    },
  })
  app.route({
    ...route(OPERATIONS.getDatasheet),
    handler: async (request) => {
      const { project, artifact } = request.params
      requireRoleInPath(request, 'viewer', project)
      return datasheetView(ports, await requireArtifact(database, project, artifact))
    },
  })
  app.route({
    ...route(OPERATIONS.traceArtifact),
    handler: (request) => {
      const { project, artifact: reference } = request.params
      requireRoleInPath(request, 'viewer', project)
      return traceView(database, { project, reference, direction: request.query.direction })
    },
  })
  app.route({
    ...route(OPERATIONS.diffArtifacts),
    handler: async (request) => {
      const { project, artifact, other } = request.params
      requireRoleInPath(request, 'viewer', project)
      const from = await requireArtifact(database, project, artifact)
      return artifacts.diff(from.id, (await requireArtifact(database, project, other)).id)
    },
  })
  app.route({ ...route(OPERATIONS.collectArtifacts), handler: () => artifacts.collect() })
}

function addRegistration(app: Api, { database, artifacts, now }: ApiPorts): void {
  const large = { bodyLimit: LIMITS.manifest, handlerTimeout: REGISTER_TIMEOUT_MS }
  app.route({
    ...route(OPERATIONS.registerArtifact),
    ...large,
    handler: async (request) => {
      const { project } = request.params
      requireRoleInPath(request, 'member', project)
      const { made_by } = request.body
      if (made_by !== undefined) await requireRunOf(database, project, made_by)
      checkRegistration(request.body)
      const author = { actor: actorOf(request), at: now() }
      return registrationView(database, await artifacts.register({ project, ...request.body, author }))
    },
  })
  app.route({
    ...route(OPERATIONS.makeArtifact),
    ...large,
    handler: async (request) => {
      const { id, project } = await requireRun(database, request.params.id)
      checkRegistration(request.body)
      const author = { actor: actorOf(request), at: now() }
      return registrationView(database, await artifacts.register({ project, ...request.body, made_by: id, author }))
    },
  })
}

function addRemoval(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.removeArtifact),
    handler: async (request) => {
      const { project, artifact } = request.params
      requireRoleInPath(request, 'member', project)
      const { id } = await requireArtifact(database, project, artifact)
      const answer = await removeArtifact(database, { project, id }, { actor: actorOf(request), at: now() })
      if (answer === 'unknown') throw new IronlawError('IL_NOT_FOUND', { kind: 'artifact', id })
      if ('names' in answer || 'runs' in answer || 'versions' in answer) throw removalConflict(id, answer)
      return artifactView(database, answer)
    },
  })
}

async function requireRunOf(database: Database, project: string, id: string): Promise<void> {
  if ((await runOf(database, id))?.project !== project) throw new IronlawError('IL_NOT_FOUND', { kind: 'run', id })
}

function checkRegistration({ manifest, name }: { readonly manifest: ArtifactManifest; readonly name?: string }): void {
  if (Buffer.byteLength(JSON.stringify(manifest.facts)) > MOST_FACTS_BYTES)
    throw new IronlawError('IL_INVALID', {
      path: 'body.manifest.facts',
      problem: `more than ${MOST_FACTS_BYTES} bytes; put what is long into a file of the artifact`,
    })
  if (name !== undefined) checkName(name, 'body.name')
}

function checkName(name: string, path: string): void {
  if (ARTIFACT_ID_BEGINNING.test(name))
    throw new IronlawError('IL_INVALID', { path, problem: `"${name}" looks like the beginning of an id; choose another name` })
}

export function addNameRoutes(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.listArtifactNames),
    handler: async (request) => {
      const { project } = request.params
      requireRoleInPath(request, 'viewer', project)
      const { limit, cursor } = request.query
      const before = sequencePosition(cursor)
      const rows = await artifactNames(database, request.params, { limit, ...(before !== undefined && { before }) })
      const last = rows.length === limit ? rows.at(-1) : undefined
      return { items: rows.map(nameView), next: last ? sequenceCursor(last.version) : null }
    },
  })
  app.route({
    ...route(OPERATIONS.setArtifactName),
    handler: async (request) => {
      const { project, name } = request.params
      requireRoleInPath(request, 'member', project)
      checkName(name, 'params.name')
      const { id } = await requireArtifact(database, project, request.body.artifact)
      const answer = await nameArtifact(database, { project, name, artifact_id: id }, { actor: actorOf(request), at: now() })
      if (answer === 'unknown') throw new IronlawError('IL_NOT_FOUND', { kind: 'artifact', id })
      if (answer === 'removed')
        throw new IronlawError('IL_CONFLICT', { problem: `artifact ${id} was removed`, next: 'register it again first' })
      return nameView(answer)
    },
  })
}

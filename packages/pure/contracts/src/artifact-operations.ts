// Operations on artifacts. Their bytes do not pass through the API: clients write them to the site's storage and register the manifest. What a page
// shows of an artifact is small, and is read here.

import * as z from 'zod'
import { ARTIFACT_PATH, ARTIFACT_REFERENCE, ARTIFACT_TYPES, MANIFEST } from './artifact.ts'
import { page } from './api.ts'
import { CARD } from './card.ts'
import { operation, PAGE_CURSOR, PAGE_LIMIT } from './operation.ts'

const at = z.number().describe('Seconds since 1970-01-01 UTC')
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'lower-case letters, digits, dots, hyphens and underscores, at most 63')

const ofProject = z.object({ project: name })
const ofArtifact = z.object({ project: name, artifact: ARTIFACT_REFERENCE })
const ofName = z.object({ project: name, name })

export const ARTIFACT = z
  .object({
    id: z.string(),
    project: z.string(),
    type: z.enum(ARTIFACT_TYPES),
    bytes: z.number(),
    files: z.int(),
    leaves: z.number().describe('Lines or blocks'),
    facts: z.record(z.string(), z.json()),
    names: z.array(z.string()).describe('Names that point at it now'),
    made_by: z.string().exactOptional().describe('Run that made it'),
    created_at: at,
    created_by: z.string(),
    removed_at: at.exactOptional().describe('Its content may be gone since; what is known of it stays'),
  })
  .meta({ id: 'Artifact' })

export const REGISTER_ARTIFACT = z
  .strictObject({
    manifest: MANIFEST,
    name: name.exactOptional().describe('Name to point at it'),
    made_by: name.exactOptional().describe('Run that made it'),
  })
  .meta({ id: 'RegisterArtifact' })

const MOST_MISSING = 1000

export const REGISTRATION = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('registered'), artifact: ARTIFACT }),
    z.object({
      state: z.literal('missing'),
      keys: z.array(z.string()).max(MOST_MISSING).describe('Objects that the storage lacks; upload them and register again'),
    }),
  ])
  .meta({ id: 'ArtifactRegistration' })

export const ARTIFACT_NAME = z
  .object({ name: z.string(), version: z.int(), artifact: z.string(), at, by: z.string() })
  .meta({ id: 'ArtifactName' })

export const TRACE_DIRECTIONS = ['up', 'down'] as const
export const EDGE_KINDS = ['used', 'made'] as const

export const TRACE = z
  .object({
    from: z.string().describe('Where the trace begins: an artifact or a run'),
    artifacts: z.array(ARTIFACT.pick({ id: true, type: true, names: true, bytes: true, created_at: true, removed_at: true })),
    runs: z.array(z.object({ id: z.string(), name: z.string(), state: z.string(), created_at: at })),
    edges: z.array(z.object({ run: z.string(), artifact: z.string(), how: z.enum(EDGE_KINDS) })),
    truncated: z.boolean().describe('There is more than is shown'),
  })
  .meta({ id: 'ArtifactTrace' })

const FILE_CHANGE = z.object({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  bytes_before: z.number(),
  bytes_after: z.number(),
  leaves_added: z.number().exactOptional().describe('Lines or blocks that only the second has; absent where it was too much to compare'),
  leaves_removed: z.number().exactOptional(),
})

export const ARTIFACT_DIFF = z
  .object({
    from: z.string(),
    to: z.string(),
    files_same: z.int(),
    files_changed: z.int(),
    bytes_shared: z.number().describe('In chunks that both have'),
    changes: z.array(FILE_CHANGE).describe('At most 1,000'),
    facts: z.array(z.object({ field: z.string(), before: z.json().exactOptional(), after: z.json().exactOptional() })),
  })
  .meta({ id: 'ArtifactDiff' })

/** Of a file in one answer: more is no longer something to look at. */
export const MOST_FILE_BYTES = 2 ** 20

export const ARTIFACT_CONTENT = z
  .object({
    path: z.string(),
    bytes: z.number().describe('Of the whole file'),
    from: z.number().describe('Where the content begins'),
    encoding: z.enum(['utf-8', 'base64']).describe('utf-8 where the content is text'),
    content: z.string(),
  })
  .meta({ id: 'ArtifactContent' })

export const COLLECTION = z
  .object({
    objects: z.int().describe('Removed by this call'),
    bytes: z.number(),
    kept: z.int().describe('Objects that artifacts or uploads of the last day need'),
    done: z.boolean().describe('Call again if not'),
  })
  .meta({ id: 'ArtifactCollection' })

const viewer = { role: 'viewer', scope: 'project' } as const
const member = { role: 'member', scope: 'project' } as const

export const ARTIFACTS = {
  getArtifactStorage: operation({
    id: 'getArtifactStorage',
    method: 'GET',
    url: '/v1/artifact-storage',
    need: viewer,
    summary: 'Where the site stores the bytes of artifacts',
    schema: {
      response: { 200: z.object({ url: z.string().describe('A directory, or s3://bucket/prefix') }).meta({ id: 'ArtifactStorage' }) },
    },
  }),
  registerArtifact: operation({
    id: 'registerArtifact',
    method: 'POST',
    url: '/v1/projects/:project/artifacts',
    need: member,
    summary: 'Register an artifact whose objects are in the storage; idempotent',
    schema: { params: ofProject, body: REGISTER_ARTIFACT, response: { 200: REGISTRATION } },
  }),
  makeArtifact: operation({
    id: 'makeArtifact',
    method: 'POST',
    url: '/v1/runs/:id/artifacts',
    need: 'run',
    summary: 'Register an artifact that the run has made; idempotent',
    schema: {
      params: z.object({ id: name }),
      body: REGISTER_ARTIFACT.omit({ made_by: true }).meta({ id: 'MakeArtifact' }),
      response: { 200: REGISTRATION },
    },
  }),
  listArtifacts: operation({
    id: 'listArtifacts',
    method: 'GET',
    url: '/v1/projects/:project/artifacts',
    need: viewer,
    summary: 'Artifacts of a project, newest first',
    schema: {
      params: ofProject,
      querystring: z.object({ type: z.enum(ARTIFACT_TYPES).optional(), limit: PAGE_LIMIT, cursor: PAGE_CURSOR }),
      response: { 200: page(ARTIFACT) },
    },
  }),
  getArtifact: operation({
    id: 'getArtifact',
    method: 'GET',
    url: '/v1/projects/:project/artifacts/:artifact',
    need: viewer,
    summary: 'One artifact',
    schema: { params: ofArtifact, response: { 200: ARTIFACT } },
  }),
  getArtifactManifest: operation({
    id: 'getArtifactManifest',
    method: 'GET',
    url: '/v1/projects/:project/artifacts/:artifact/manifest',
    need: viewer,
    summary: 'Files of an artifact with their digests',
    schema: { params: ofArtifact, response: { 200: MANIFEST } },
  }),
  getArtifactFile: operation({
    id: 'getArtifactFile',
    method: 'GET',
    url: '/v1/projects/:project/artifacts/:artifact/file',
    need: viewer,
    summary: 'A small file of an artifact, or a part of a larger one, verified',
    schema: {
      params: ofArtifact,
      querystring: z.object({
        path: ARTIFACT_PATH.describe('Of the file, as in the manifest'),
        from: z.coerce.number().int().nonnegative().default(0).describe('First byte'),
        length: z.coerce.number().int().min(1).max(MOST_FILE_BYTES).optional().describe('Bytes; up to the end of the file when left out'),
      }),
      response: { 200: ARTIFACT_CONTENT },
    },
  }),
  getDatasheet: operation({
    id: 'getDatasheet',
    method: 'GET',
    url: '/v1/projects/:project/artifacts/:artifact/datasheet',
    need: viewer,
    summary: 'What is in a dataset, where it came from, what was done to it and who uses it, as a document for readers',
    schema: { params: ofArtifact, response: { 200: CARD } },
  }),
  traceArtifact: operation({
    id: 'traceArtifact',
    method: 'GET',
    url: '/v1/projects/:project/artifacts/:artifact/trace',
    need: viewer,
    summary: 'What an artifact or a run came from, or what came of it',
    schema: { params: ofArtifact, querystring: z.object({ direction: z.enum(TRACE_DIRECTIONS).default('up') }), response: { 200: TRACE } },
  }),
  diffArtifacts: operation({
    id: 'diffArtifacts',
    method: 'GET',
    url: '/v1/projects/:project/artifacts/:artifact/diff/:other',
    need: viewer,
    summary: 'What differs between two artifacts',
    schema: { params: ofArtifact.extend({ other: ARTIFACT_REFERENCE }), response: { 200: ARTIFACT_DIFF } },
  }),
  removeArtifact: operation({
    id: 'removeArtifact',
    method: 'DELETE',
    url: '/v1/projects/:project/artifacts/:artifact',
    need: member,
    summary: 'Give up the content of an artifact that no name, run, released version or deployment needs; its lineage stays',
    schema: { params: ofArtifact, response: { 200: ARTIFACT } },
  }),
  listArtifactNames: operation({
    id: 'listArtifactNames',
    method: 'GET',
    url: '/v1/projects/:project/artifact-names/:name',
    need: viewer,
    summary: 'What a name pointed at, newest first',
    schema: { params: ofName, querystring: z.object({ limit: PAGE_LIMIT, cursor: PAGE_CURSOR }), response: { 200: page(ARTIFACT_NAME) } },
  }),
  setArtifactName: operation({
    id: 'setArtifactName',
    method: 'PUT',
    url: '/v1/projects/:project/artifact-names/:name',
    need: member,
    summary: 'Point a name at an artifact, also an older one; idempotent',
    schema: {
      params: ofName,
      body: z.strictObject({ artifact: ARTIFACT_REFERENCE }).meta({ id: 'SetArtifactName' }),
      response: { 200: ARTIFACT_NAME },
    },
  }),
  collectArtifacts: operation({
    id: 'collectArtifacts',
    method: 'POST',
    url: '/v1/artifact-storage/collect',
    need: { role: 'admin', scope: 'site' },
    summary: 'Remove objects that no artifact needs, for at most ten seconds',
    schema: { response: { 200: COLLECTION } },
  }),
}

export type ArtifactView = z.output<typeof ARTIFACT>
export type ArtifactRegistration = z.output<typeof REGISTRATION>
export type ArtifactNameView = z.output<typeof ARTIFACT_NAME>
export type ArtifactTrace = z.output<typeof TRACE>
export type ArtifactDiff = z.output<typeof ARTIFACT_DIFF>
export type ArtifactContent = z.output<typeof ARTIFACT_CONTENT>
export type ArtifactCollection = z.output<typeof COLLECTION>

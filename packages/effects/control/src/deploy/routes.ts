// The API of deployments and gateways.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { GatewayView } from '@ironlaw/contracts/gateway-sync'
import { EVERY_PROJECT, hasRole, IronlawError } from '@ironlaw/contracts'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { grantQuota, QUOTA_RULE } from '@ironlaw/policies/serving'
import { changeQuotaLedger, configVersion, gatewaysSince, listDeployments } from '@ironlaw/store'
import type { FastifyRequest } from 'fastify'
import { actorOf } from '../http/authentication.ts'
import { callerOf, callerProjects, findDeployment, requireRole } from '../http/authorization.ts'
import { route } from '../http/operation.ts'
import type { Api, ApiPorts } from '../http/ports.ts'
import { readAccess, writeAccess } from './access-document.ts'
import { answerSync } from './answer-sync.ts'
import { changeDeployment } from './change-deployment.ts'
import { deploymentFigures } from './deployment-figures.ts'
import { etagOf, sequenceOf } from './deployment-version.ts'
import { deploymentDetail, deploymentViews } from './deployment-view.ts'
import { recordDrill } from './way-back-drills.ts'
import { requireGatewayToken } from './gateway-identity.ts'
import { GATEWAY_LISTED_S, gatewayView } from './gateway-view.ts'
import { backTarget } from './back-target.ts'
import { makeDeployment, orderRollout, removeDeployment, revise, requireDeployment } from './make-deployment.ts'
import { checkRevision } from '../registry/served-version.ts'
import { requireSecrets } from '../secrets/deliver.ts'
import { replicaId } from './decide-round.ts'

/** Some 700 bytes for each replica: 3,000 of them, whose pools one gateway serves. */
const SYNC_BYTES = 2 << 20
const QUOTA_BYTES = 1 << 20
const CONFIG_BYTES = 64 << 20

export function addDeploymentRoutes(app: Api, { database, now, onWake, replicaLogs, secrets, redaction, artifacts }: ApiPorts): void {
  const viewOf = async (id: string) => deploymentDetail(database, DEFAULT_ROLLOUT, await requireDeployment(database, id))
  const viewed = (request: FastifyRequest, name: string) => findDeployment(database, request, { name, role: 'viewer' })
  app.route({
    ...route(OPERATIONS.createDeployment),
    handler: async (request, reply) => {
      const { project, revision } = request.body
      requireRole(request, 'operator', project)
      await requireSecrets(secrets, { project, references: revision.secrets, path: 'body.revision.secrets' })
      const place = { project, release: request.body.spec.release, path: 'body.revision' }
      const checked = await checkRevision({ database, artifacts, now }, revision, place)
      const { id } = await makeDeployment(database, { ...request.body, revision: checked }, { actor: actorOf(request), at: now() })
      onWake()
      return reply.code(201).send(await viewOf(id))
    },
  })
  app.route({
    ...route(OPERATIONS.listDeployments),
    handler: async (request) => {
      const rows = await listDeployments(database, 'live', callerProjects(request, 'viewer'))
      return { items: await deploymentViews(database, DEFAULT_ROLLOUT, rows), next: null }
    },
  })
  app.route({
    ...route(OPERATIONS.getDeployment),
    handler: async (request, reply) => {
      const { id } = await viewed(request, request.params.name)
      const sequence = await sequenceOf(database, id)
      const row = await requireDeployment(database, id)
      return reply.header('etag', `"${etagOf(row, sequence)}"`).send(await deploymentDetail(database, DEFAULT_ROLLOUT, row))
    },
  })
  app.route({
    ...route(OPERATIONS.getDeploymentFigures),
    handler: async (request) => {
      const row = await viewed(request, request.params.name)
      const figures = await deploymentFigures(database, row, { rule: DEFAULT_ROLLOUT, now: now() })
      if (hasRole(callerOf(request), 'viewer', EVERY_PROJECT)) return figures
      // Tenants and their budgets are of the whole site.
      return { ...figures, tenants: [], gateways: figures.gateways.map(withoutBudgets) }
    },
  })
  app.route({
    ...route(OPERATIONS.readReplicaLog),
    handler: async (request, reply) => {
      const { name, replica } = request.params
      const { offset } = request.query
      const { id, replicas_made, project } = await viewed(request, name)
      if (replica > replicas_made) throw new IronlawError('IL_NOT_FOUND', { kind: 'replica', id: replicaId(id, replica) })
      const found = await replicaLogs(replicaId(id, replica), offset)
      if ('away' in found) throw new IronlawError('IL_UNAVAILABLE', { what: 'the storage of logs', reason: found.away })
      const { text, next } = await redaction.part(project, found)
      return reply.type('text/plain; charset=utf-8').header('x-next-offset', next).send(text)
    },
  })
  addDecisionRoutes(app, { database, now, onWake, secrets, artifacts }, viewOf)
}

type DecisionPorts = Pick<ApiPorts, 'database' | 'now' | 'onWake' | 'secrets' | 'artifacts'>

type ViewOf = (id: string) => Promise<DeploymentView>

/** What people decide about a deployment that lives. */
function addDecisionRoutes(app: Api, { database, now, onWake, secrets, artifacts }: DecisionPorts, one: ViewOf): void {
  const operated = (request: FastifyRequest, name: string) => findDeployment(database, request, { name, role: 'operator' })
  app.route({
    ...route(OPERATIONS.changeDeployment),
    handler: async (request, reply) => {
      const { name } = request.params
      const { id, project } = await operated(request, name)
      await requireSecrets(secrets, { project, references: request.body.revision?.secrets, path: 'body.revision.secrets' })
      const { spec, revision } = request.body
      const place = { project, release: spec.release, path: 'body.revision' }
      const checked = revision && (await checkRevision({ database, artifacts, now }, revision, place))
      const wanted = { spec, ...(checked && { revision: checked }) }
      const changing = { name, id, actor: actorOf(request), at: now(), rule: DEFAULT_ROLLOUT, ifMatch: request.headers['if-match'] }
      const { changes, ...rest } = await changeDeployment(database, wanted, { ...changing, dryRun: request.query.dry_run === 'true' })
      if (changes.length > 0) onWake()
      return reply.header('etag', `"${rest.etag}"`).send({ changes: [...changes], ...rest, deployment: await one(id) })
    },
  })
  app.route({
    ...route(OPERATIONS.removeDeployment),
    handler: async (request) => {
      const { id } = await operated(request, request.params.name)
      await removeDeployment(database, { name: id, actor: actorOf(request), at: now() })
      onWake()
      return one(id)
    },
  })
  app.route({
    ...route(OPERATIONS.createRevision),
    handler: async (request, reply) => {
      const { name } = request.params
      const { id, project, spec } = await operated(request, name)
      await requireSecrets(secrets, { project, references: request.body.secrets, path: 'body.secrets' })
      const checked = await checkRevision({ database, artifacts, now }, request.body, { project, release: spec.release, path: 'body' })
      await revise(database, checked, { name, id, actor: actorOf(request), at: now(), rule: DEFAULT_ROLLOUT })
      onWake()
      return reply.code(201).send(await one(id))
    },
  })
  app.route({
    ...route(OPERATIONS.orderRollout),
    handler: async (request) => {
      const { name } = request.params
      const row = await operated(request, name)
      const { id } = row
      const { do: what, ...back } = request.body
      const order = what === 'back' ? { do: what, ...(await backTarget({ database, artifacts, now }, row, back)) } : { do: what }
      await orderRollout(database, order, { name, id, actor: actorOf(request), at: now() })
      onWake()
      return one(id)
    },
  })
  app.route({
    ...route(OPERATIONS.recordDrill),
    handler: async (request, reply) => {
      const deployment = await operated(request, request.params.name)
      return reply.code(201).send(await recordDrill(database, request.body, { deployment, actor: actorOf(request), at: now() }))
    },
  })
}

export function addGatewayRoutes(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.syncGateway),
    // Every second from every gateway: only what goes wrong is worth a line.
    logLevel: 'warn',
    bodyLimit: SYNC_BYTES,
    handler: async ({ params: { name }, principal, body }, reply) => {
      await requireGatewayToken(database, principal, { gateway: name, at: now() })
      const newer = await answerSync(database, { gateway: name, body, now })
      return newer ? reply.code(200).send(newer) : reply.code(204).send(null)
    },
  })
  app.route({
    ...route(OPERATIONS.shareQuota),
    logLevel: 'warn',
    bodyLimit: QUOTA_BYTES,
    handler: async ({ params: { name: id }, principal, body: report }, reply) => {
      await requireGatewayToken(database, principal, { gateway: id, at: now() })
      const granted = await changeQuotaLedger(database, (before, at) => {
        const { ledger, grant } = grantQuota(before, { id, report, now: at })
        return { ledger, answer: grant }
      })
      return granted ? reply.code(200).send({ ...granted, lasts_s: QUOTA_RULE.lasts_s }) : reply.code(204).send(null)
    },
  })
  app.route({
    ...route(OPERATIONS.listGateways),
    handler: async () => {
      const [{ epoch, version, digest }, gateways] = await Promise.all([
        configVersion(database),
        gatewaysSince(database, now() - GATEWAY_LISTED_S),
      ])
      return { epoch, version, items: gateways.map((each) => gatewayView(each, { epoch, version, digest }, now())) }
    },
  })
  app.route({
    ...route(OPERATIONS.getGatewayConfig),
    handler: async (_request, reply) => {
      const { etag, config } = await readAccess(database)
      return reply.header('etag', `"${etag}"`).send(config)
    },
  })
  app.route({
    ...route(OPERATIONS.configureGateways),
    bodyLimit: CONFIG_BYTES,
    handler: async (request, reply) => {
      const edit = { ifMatch: request.headers['if-match'], actor: actorOf(request), at: now() }
      const { version, etag } = await writeAccess(database, request.body, edit)
      return reply.header('etag', `"${etag}"`).send({ version, etag })
    },
  })
}

function withoutBudgets(gateway: GatewayView): GatewayView {
  const { budgets: _, ...rest } = gateway
  return rest
}

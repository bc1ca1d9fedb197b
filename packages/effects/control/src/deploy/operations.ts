// The operations of the API on deployments and gateways, with who may call them.

import {
  CHANGE_DEPLOYMENT,
  CONFIG_STORED,
  CREATE_DEPLOYMENT,
  DEPLOYMENT,
  DEPLOYMENT_CHANGED,
  NEW_REVISION,
  ROLLOUT_ORDER,
} from '@ironlaw/contracts/deployment-api'
import { DEPLOYMENT_FIGURES } from '@ironlaw/contracts/deployment-figures'
import { EVENT, page } from '@ironlaw/contracts/api'
import { GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { QUOTA_GRANT, QUOTA_REPORT } from '@ironlaw/contracts/gateway-quota'
import { GATEWAY_LIST, GATEWAY_SYNC } from '@ironlaw/contracts/gateway-sync'
import * as z from 'zod'
import { operation, problemResponse, textResponse } from '../http/operation.ts'

const name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'letters, digits, dots, hyphens and underscores, at most 63')
const named = z.object({ name })

export const DEPLOYMENTS = {
  createDeployment: operation({
    id: 'createDeployment',
    method: 'POST',
    url: '/v1/deployments',
    need: 'operator',
    summary: 'Create a deployment',
    schema: { body: CREATE_DEPLOYMENT, response: { 201: DEPLOYMENT } },
  }),
  listDeployments: operation({
    id: 'listDeployments',
    method: 'GET',
    url: '/v1/deployments',
    need: 'viewer',
    summary: 'Live deployments, by name',
    schema: { response: { 200: page(DEPLOYMENT) } },
  }),
  getDeployment: operation({
    id: 'getDeployment',
    method: 'GET',
    url: '/v1/deployments/:name',
    need: 'viewer',
    summary: 'One deployment, by name, or by id also when it is gone; the header ETag names its settings and what shall serve',
    schema: { params: named, response: { 200: DEPLOYMENT } },
  }),
  getDeploymentFigures: operation({
    id: 'getDeploymentFigures',
    method: 'GET',
    url: '/v1/deployments/:name/figures',
    need: 'viewer',
    summary: 'Figures of a deployment: traffic, latencies, the evidence of its rollout, the tenants with access',
    schema: { params: named, response: { 200: DEPLOYMENT_FIGURES } },
  }),
  listDeploymentEvents: operation({
    id: 'listDeploymentEvents',
    method: 'GET',
    url: '/v1/deployments/:name/events',
    need: 'viewer',
    summary: 'What happened to a deployment: which revision served when, and why; with "Accept: text/event-stream", as it happens',
    schema: {
      params: named,
      querystring: z.object({
        cursor: z
          .string()
          .regex(/^\d{0,9}$/, 'expected a cursor as an answer gave it')
          .optional(),
        newest: z.coerce.number().int().min(1).max(1000).optional().describe('Return only the newest N events'),
        limit: z.coerce.number().int().min(1).max(1000).default(100),
      }),
      response: { 200: page(EVENT) },
    },
  }),
  readReplicaLog: operation({
    id: 'readReplicaLog',
    method: 'GET',
    url: '/v1/deployments/:name/replicas/:replica/logs',
    need: 'viewer',
    summary: 'What the engine of a replica printed, also when it is gone; the header X-Next-Offset says where the next part begins',
    schema: {
      params: z.object({ name, replica: z.coerce.number().int().min(1).describe('Its number, the part of its id behind the dot') }),
      querystring: z.object({ offset: z.coerce.number().int().default(0).describe('Negative: from the end') }),
      response: { 200: textResponse('As much as is there, at most 1 MiB') },
    },
  }),
  changeDeployment: operation({
    id: 'changeDeployment',
    method: 'PUT',
    url: '/v1/deployments/:name',
    need: 'operator',
    summary: 'Change the settings of a deployment and, where it differs, what serves; of the state that If-Match names',
    schema: {
      params: named,
      querystring: z.object({
        dry_run: z.enum(['true', 'false']).default('false').describe('Answers what would change, and changes nothing'),
      }),
      headers: z.object({
        'if-match': z
          .string()
          .max(200)
          .exactOptional()
          .describe('The ETag of the state that was seen; * for whichever there is; may be absent only in a dry run'),
      }),
      body: CHANGE_DEPLOYMENT,
      response: {
        200: DEPLOYMENT_CHANGED,
        412: problemResponse('It was changed since; the title says by whom and what'),
        428: problemResponse('If-Match does not say which state was seen'),
      },
    },
  }),
  removeDeployment: operation({
    id: 'removeDeployment',
    method: 'DELETE',
    url: '/v1/deployments/:name',
    need: 'operator',
    summary: 'Remove a deployment: its replicas drain, and it is gone once the executor confirms',
    schema: { params: named, response: { 200: DEPLOYMENT } },
  }),
  createRevision: operation({
    id: 'createRevision',
    method: 'POST',
    url: '/v1/deployments/:name/revisions',
    need: 'operator',
    summary: 'Roll out a new revision as a canary; it is promoted when it is as good as the one that serves',
    schema: { params: named, body: NEW_REVISION, response: { 201: DEPLOYMENT } },
  }),
  orderRollout: operation({
    id: 'orderRollout',
    method: 'POST',
    url: '/v1/deployments/:name/rollout',
    need: 'operator',
    summary: 'Promote, pause, resume or roll back a rollout, or return to an earlier revision',
    schema: { params: named, body: ROLLOUT_ORDER, response: { 200: DEPLOYMENT } },
  }),
}

export const GATEWAYS = {
  syncGateway: operation({
    id: 'syncGateway',
    method: 'POST',
    url: '/v1/gateways/:name/sync',
    need: 'gateway',
    summary: 'What a gateway counted; answered with its configuration when there is a newer one',
    schema: {
      params: named,
      body: GATEWAY_SYNC,
      response: {
        200: z.looseObject({ epoch: z.string(), version: z.int() }),
        204: z.null().describe('It has the newest, or has rejected the newest'),
      },
    },
  }),
  shareQuota: operation({
    id: 'shareQuota',
    method: 'POST',
    url: '/v1/gateways/:name/quota',
    need: 'gateway',
    summary: 'What tenants request of a gateway; answered with its share of their limits',
    schema: {
      params: named,
      body: QUOTA_REPORT,
      response: { 200: QUOTA_GRANT, 204: z.null().describe('No grant: it leaves, was replaced, or has too many unconfirmed ones') },
    },
  }),
  listGateways: operation({
    id: 'listGateways',
    method: 'GET',
    url: '/v1/gateways',
    need: 'viewer',
    summary: 'Gateways heard in the last hour: which configuration each has applied, or rejected and why',
    schema: { response: { 200: GATEWAY_LIST } },
  }),
  getGatewayConfig: operation({
    id: 'getGatewayConfig',
    method: 'GET',
    url: '/v1/gateway-config',
    need: 'admin',
    summary: 'The access document; its ETag is needed to replace it',
    schema: { response: { 200: GATEWAY_CONFIG } },
  }),
  configureGateways: operation({
    id: 'configureGateways',
    method: 'PUT',
    url: '/v1/gateway-config',
    need: 'admin',
    summary: 'Tenants, keys, limits, and how models are served; replaces the document that If-Match names',
    schema: {
      headers: z.object({
        'if-match': z
          .string()
          .max(200)
          .exactOptional()
          .describe('The ETag of the document that was seen; * for whichever is there; may be absent only before the first'),
      }),
      body: GATEWAY_CONFIG,
      response: {
        200: CONFIG_STORED,
        412: problemResponse('The document was changed since; the title says by whom and what'),
        428: problemResponse('There is a document already, and If-Match does not say which one was seen'),
      },
    },
  }),
}

// The operations of the API on deployments and gateways, with who may call them.

import {
  CHANGE_DEPLOYMENT,
  CONFIG_STORED,
  CREATE_DEPLOYMENT,
  DEPLOYMENT,
  DEPLOYMENT_CHANGED,
  NEW_REVISION,
  ROLLOUT_ORDER,
} from './deployment-api.ts'
import { DEPLOYMENT_FIGURES } from './deployment-figures.ts'
import { EVENT, page } from './api.ts'
import { CERTIFICATE_REQUEST, ISSUED_CERTIFICATE, NEW_CERTIFICATE, SITE_AUTHORITY } from './certificate-api.ts'
import { GATEWAY_CONFIG } from './gateway-snapshot.ts'
import { QUOTA_GRANT, QUOTA_REPORT } from './gateway-quota.ts'
import { GATEWAY_LIST, GATEWAY_SYNC } from './gateway-sync.ts'
import { PROFILE_REPORT } from './profile.ts'
import { DEPLOYMENT_PROFILE, PROFILE_QUERY } from './profile-api.ts'
import { DRILL, NEW_DRILL } from './way-back-drill.ts'
import * as z from 'zod'
import { operation, PAGE_LIMIT, problemResponse, SEEN_DOCUMENT_HEADERS, textResponse, UNSEEN_PROBLEMS } from './operation.ts'

const name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'letters, digits, dots, hyphens and underscores, at most 63')
const named = z.object({ name })

export const DEPLOYMENTS = {
  createDeployment: operation({
    id: 'createDeployment',
    method: 'POST',
    url: '/v1/deployments',
    need: { role: 'operator', scope: 'project' },
    summary: 'Create a deployment',
    schema: { body: CREATE_DEPLOYMENT, response: { 201: DEPLOYMENT } },
  }),
  listDeployments: operation({
    id: 'listDeployments',
    method: 'GET',
    url: '/v1/deployments',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Live deployments, by name',
    schema: { response: { 200: page(DEPLOYMENT) } },
  }),
  getDeployment: operation({
    id: 'getDeployment',
    method: 'GET',
    url: '/v1/deployments/:name',
    need: { role: 'viewer', scope: 'project' },
    summary: 'One deployment, by name, or by id even after it is gone; the ETag header identifies its settings and target revision',
    schema: { params: named, response: { 200: DEPLOYMENT } },
  }),
  getDeploymentFigures: operation({
    id: 'getDeploymentFigures',
    method: 'GET',
    url: '/v1/deployments/:name/figures',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Figures of a deployment: traffic, latencies, the evidence of its rollout, the tenants with access',
    schema: { params: named, response: { 200: DEPLOYMENT_FIGURES } },
  }),
  getDeploymentProfile: operation({
    id: 'getDeploymentProfile',
    method: 'GET',
    url: '/v1/deployments/:name/profile',
    need: { role: 'viewer', scope: 'project' },
    summary: 'What a deployment was asked and answered, as counts without any text: lengths, scripts, endings; by hour as well',
    schema: { params: named, querystring: PROFILE_QUERY, response: { 200: DEPLOYMENT_PROFILE } },
  }),
  listDeploymentEvents: operation({
    id: 'listDeploymentEvents',
    method: 'GET',
    url: '/v1/deployments/:name/events',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Events of a deployment: which revision served when, and why; with "Accept: text/event-stream", as they happen',
    schema: {
      params: named,
      querystring: z.object({
        cursor: z
          .string()
          .regex(/^\d{0,9}$/, 'expected a cursor as an answer gave it')
          .optional(),
        newest: z.coerce.number().int().min(1).max(1000).optional().describe('Return only the newest N events'),
        limit: PAGE_LIMIT,
      }),
      response: { 200: page(EVENT) },
    },
  }),
  readReplicaLog: operation({
    id: 'readReplicaLog',
    method: 'GET',
    url: '/v1/deployments/:name/replicas/:replica/logs',
    need: { role: 'viewer', scope: 'project' },
    summary: 'Log of a replica, even after it is gone; the X-Next-Offset header gives the offset of the next part',
    answerHeader: 'x-next-offset',
    schema: {
      params: z.object({
        name,
        replica: z.coerce.number().int().min(1).describe('The number of the replica: the part of its id after the dot'),
      }),
      querystring: z.object({ offset: z.coerce.number().int().default(0).describe('Byte offset; negative counts from the end') }),
      response: { 200: textResponse('As much as is there, at most 1 MiB') },
    },
  }),
  changeDeployment: operation({
    id: 'changeDeployment',
    method: 'PUT',
    url: '/v1/deployments/:name',
    need: { role: 'operator', scope: 'project' },
    summary: 'Update the settings of a deployment and, if it differs, what it serves; If-Match names the state to update',
    schema: {
      params: named,
      querystring: z.object({
        dry_run: z.enum(['true', 'false']).default('false').describe('Return what would change without changing anything'),
      }),
      headers: z.object({
        'if-match': z
          .string()
          .max(200)
          .exactOptional()
          .describe('ETag of the state that the change is based on; * for any state; optional only in a dry run'),
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
    need: { role: 'operator', scope: 'project' },
    summary: 'Remove a deployment: its replicas drain, and it is gone once the executor confirms',
    schema: { params: named, response: { 200: DEPLOYMENT } },
  }),
  createRevision: operation({
    id: 'createRevision',
    method: 'POST',
    url: '/v1/deployments/:name/revisions',
    need: { role: 'operator', scope: 'project' },
    summary: 'Roll out a new revision as a canary; it is promoted when it is as good as the current one',
    schema: { params: named, body: NEW_REVISION, response: { 201: DEPLOYMENT } },
  }),
  orderRollout: operation({
    id: 'orderRollout',
    method: 'POST',
    url: '/v1/deployments/:name/rollout',
    need: { role: 'operator', scope: 'project' },
    summary: 'Promote, pause, resume or roll back a rollout, or return to an earlier revision',
    schema: { params: named, body: ROLLOUT_ORDER, response: { 200: DEPLOYMENT } },
  }),
  recordDrill: operation({
    id: 'recordDrill',
    method: 'POST',
    url: '/v1/deployments/:name/drills',
    need: { role: 'operator', scope: 'project' },
    summary: 'Record a drill of the way back whose two orders are the last ones of the deployment',
    schema: { params: named, body: NEW_DRILL, response: { 201: DRILL } },
  }),
}

export const CERTIFICATES = {
  certifyGateway: operation({
    id: 'certifyGateway',
    method: 'POST',
    url: '/v1/gateways/:name/certificate',
    need: 'gateway',
    summary: 'A certificate for a gateway: for the address that it calls from and names that lead there',
    schema: { params: named, body: CERTIFICATE_REQUEST, response: { 200: ISSUED_CERTIFICATE } },
  }),
  issueCertificate: operation({
    id: 'issueCertificate',
    method: 'POST',
    url: '/v1/certificates',
    need: { role: 'admin', scope: 'site' },
    summary: "A certificate of the site's authority for any names and addresses",
    schema: { body: NEW_CERTIFICATE, response: { 200: ISSUED_CERTIFICATE } },
  }),
  getAuthority: operation({
    id: 'getAuthority',
    method: 'GET',
    url: '/v1/certificates/authority',
    need: { role: 'viewer', scope: 'site' },
    summary: "The site's authority, for those who are to trust it",
    schema: { response: { 200: SITE_AUTHORITY } },
  }),
}

export const GATEWAYS = {
  syncGateway: operation({
    id: 'syncGateway',
    method: 'POST',
    url: '/v1/gateways/:name/sync',
    need: 'gateway',
    summary: 'Report what a gateway counted; returns its configuration if there is a newer one',
    schema: {
      params: named,
      body: GATEWAY_SYNC,
      response: {
        200: z.looseObject({ epoch: z.string(), version: z.int() }),
        204: z.null().describe('The gateway has the newest configuration, or has rejected it'),
      },
    },
  }),
  shareQuota: operation({
    id: 'shareQuota',
    method: 'POST',
    url: '/v1/gateways/:name/quota',
    need: 'gateway',
    summary: 'Report the demand of tenants at a gateway; returns its share of their limits',
    schema: {
      params: named,
      body: QUOTA_REPORT,
      response: {
        200: QUOTA_GRANT,
        204: z.null().describe('No grant: the gateway is leaving, was replaced, or has too many unconfirmed grants'),
      },
    },
  }),
  reportProfiles: operation({
    id: 'reportProfiles',
    method: 'POST',
    url: '/v1/gateways/:name/profiles',
    need: 'gateway',
    summary: 'Report the profiles of hours as totals since the gateway started; what is already known, too old or unknown changes nothing',
    schema: {
      params: named,
      body: PROFILE_REPORT,
      response: { 204: z.null().describe('Taken; the same totals need not be sent again') },
    },
  }),
  listGateways: operation({
    id: 'listGateways',
    method: 'GET',
    url: '/v1/gateways',
    need: { role: 'viewer', scope: 'site' },
    summary: 'Gateways that reported in the last hour, with the configuration that each has applied, or rejected and why',
    schema: { response: { 200: GATEWAY_LIST } },
  }),
  getGatewayConfig: operation({
    id: 'getGatewayConfig',
    method: 'GET',
    url: '/v1/gateway-config',
    need: { role: 'admin', scope: 'site' },
    summary: 'The access document; its ETag is needed to replace it',
    answerHeader: 'etag',
    schema: { response: { 200: GATEWAY_CONFIG } },
  }),
  configureGateways: operation({
    id: 'configureGateways',
    method: 'PUT',
    url: '/v1/gateway-config',
    need: { role: 'admin', scope: 'site' },
    summary: 'Replace the access document that If-Match names: tenants, keys, limits, and how models are served',
    schema: {
      headers: SEEN_DOCUMENT_HEADERS,
      body: GATEWAY_CONFIG,
      response: {
        200: CONFIG_STORED,
        ...UNSEEN_PROBLEMS,
      },
    },
  }),
}

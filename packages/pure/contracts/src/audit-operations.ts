// The operations of the API on the audit trail, with who may call them.

import * as z from 'zod'
import { AUDIT, page } from './api.ts'
import { ACCESS_RECORD, AUDIT_SINK, CHECK_HEADS, HEADS_CHECKED } from './audit-api.ts'
import { operation, PAGE_CURSOR, PAGE_LIMIT } from './operation.ts'

export const AUDITS = {
  audit: operation({
    id: 'audit',
    method: 'GET',
    url: '/v1/audit',
    need: { role: 'admin', scope: 'site' },
    summary: 'Verify that no stream of events was altered',
    schema: { querystring: z.object({ cursor: PAGE_CURSOR, limit: PAGE_LIMIT }), response: { 200: page(AUDIT) } },
  }),
  listAccess: operation({
    id: 'listAccess',
    method: 'GET',
    url: '/v1/audit/records',
    need: { role: 'admin', scope: 'project' },
    summary: 'Who changed what through the API, or was refused, newest first; for an administrator of projects, in those',
    schema: {
      querystring: z.object({
        project: z
          .string()
          .regex(/^[\w.-]{1,63}$/)
          .optional(),
        who: z.string().min(1).max(200).optional().describe('Id of a token, as the records show it'),
        since: z.coerce.number().nonnegative().optional().describe('Seconds since 1970-01-01 UTC'),
        refused: z.enum(['true', 'false']).default('false').describe('Only what was refused'),
        limit: PAGE_LIMIT,
        cursor: PAGE_CURSOR,
      }),
      response: { 200: page(ACCESS_RECORD) },
    },
  }),
  checkHeads: operation({
    id: 'checkHeads',
    method: 'POST',
    url: '/v1/audit/heads',
    need: { role: 'admin', scope: 'site' },
    summary: 'Compare heads of chains that were kept elsewhere with the events that are stored',
    schema: { body: CHECK_HEADS, response: { 200: HEADS_CHECKED } },
  }),
  listAuditSinks: operation({
    id: 'listAuditSinks',
    method: 'GET',
    url: '/v1/audit/sinks',
    need: { role: 'admin', scope: 'site' },
    summary: 'Where the audit trail is sent, and how far each target is behind',
    schema: { response: { 200: page(AUDIT_SINK) } },
  }),
}

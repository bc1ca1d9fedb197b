// Has every change and every refusal recorded before it is answered. Requests of jobs and gateways about themselves are in the events of their
// runs and in metrics; of those only refusals are recorded.

import { IronlawError } from '@ironlaw/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Access, type AccessTrail, tokenName } from '../access/access-trail.ts'
import { actorOf } from './authentication.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the answer says about what was changed; null until there is one. */
    changed: Changed | null
    /** The project in which it was refused; also set where an object exists but is answered as absent. */
    refusedProject: string | null
    isRecorded: boolean
  }
}

type Changed = Pick<Access, 'object' | 'project'> & { readonly who?: string }

type TrailPorts = { readonly trail: AccessTrail; readonly now: () => number }

export function addAccessTrail(app: FastifyInstance, { trail, now }: TrailPorts): void {
  app.decorateRequest('changed', null)
  app.decorateRequest('refusedProject', null)
  app.decorateRequest('isRecorded', false)
  app.addHook('preSerialization', async (request, _reply, payload: unknown) => {
    if (request.method !== 'GET' && request.principal?.kind !== 'run') request.changed = changedBy(payload)
    return payload
  })
  app.addHook('onSend', async (request, reply) => {
    // A record that cannot be stored makes an answer of its own, which comes here again.
    if (request.isRecorded) return
    request.isRecorded = true
    const status = reply.statusCode
    if (isRefusal(request, status)) return trail.recordRefusal(accessOf(request, status, now()))
    if (!isChange(request) || (status >= 400 && status < 500)) return
    try {
      await trail.recordChange(accessOf(request, status, now()))
    } catch (cause) {
      // Already answered with a fault: the log has it.
      if (status >= 500) return
      throw new IronlawError('IL_UNAVAILABLE', { what: 'the audit trail', reason: 'the change could not be recorded' }, { cause })
    }
  })
  app.addHook('onClose', () => trail.close())
}

/** For requests that never reach the hooks. */
export async function recordUnroutable(trail: AccessTrail, request: FastifyRequest, at: number): Promise<void> {
  if (hasToken(request)) await trail.recordRefusal(accessOf(request, 401, at))
}

/** 404 is one only where it hides something. */
function isRefusal(request: FastifyRequest, status: number): boolean {
  if (status === 401) return hasToken(request) || request.routeOptions.config.open === true
  // An address that is locked out.
  if (status === 429) return request.principal === null && hasToken(request)
  return status === 403 || (status === 404 && request.refusedProject !== null)
}

/** Of jobs and gateways, what they report about themselves. */
const OWN_NEEDS: ReadonlySet<unknown> = new Set(['run', 'gateway'])
/** What a gateway gets for itself opens replicas: recorded all the same. */
const CERTIFIES = 'certifyGateway'

function isChange(request: FastifyRequest): boolean {
  const { need, open } = request.routeOptions.config
  // A client asks again and again whether somebody has signed in; only the answer with a token is one.
  if (open) return request.changed?.who !== undefined || operationOf(request) === 'signOut'
  return request.method !== 'GET' && need !== undefined && (!OWN_NEEDS.has(need) || operationOf(request) === CERTIFIES)
}

const LONGEST = 200

function accessOf(request: FastifyRequest, status: number, at: number): Access {
  const { object = objectOf(request), project = request.refusedProject ?? projectOf(request), who } = request.changed ?? {}
  return {
    at,
    who: who ?? whoOf(request),
    from: request.ip.slice(0, LONGEST),
    operation: operationOf(request),
    ...(object !== undefined && { object: object.slice(0, LONGEST) }),
    ...(project !== undefined && { project: project.slice(0, LONGEST) }),
    status,
    request: request.id,
  }
}

const TOKEN = /^Bearer (il_[\w-]{43})$/i

const secretOf = ({ headers }: FastifyRequest): string | undefined => TOKEN.exec(headers.authorization ?? '')?.[1]

const hasToken = (request: FastifyRequest): boolean => secretOf(request) !== undefined

function whoOf(request: FastifyRequest): string {
  const secret = secretOf(request)
  return request.principal ? actorOf(request) : secret === undefined ? 'nobody' : tokenName(secret)
}

const operationOf = ({ routeOptions: { schema }, method }: FastifyRequest): string =>
  textAt(schema, 'operationId') ?? `${method} of an unknown path`

const objectOf = ({ params }: FastifyRequest): string | undefined => textAt(params, 'id') ?? textAt(params, 'name')

const projectOf = ({ params, body, query }: FastifyRequest): string | undefined =>
  textAt(params, 'project') ?? textAt(body, 'project') ?? textAt(query, 'project')

function changedBy(payload: unknown): Changed {
  const deployment = typeof payload === 'object' && payload !== null && 'deployment' in payload ? payload.deployment : undefined
  const serial = textAt(payload, 'serial')
  const certificate = serial === undefined ? undefined : `certificate ${serial} for ${String(Reflect.get(Object(payload), 'names'))}`
  const object = textAt(payload, 'id') ?? textAt(deployment, 'id') ?? certificate
  const project = textAt(payload, 'project') ?? textAt(deployment, 'project')
  const token = textAt(payload, 'token')
  return { ...(object !== undefined && { object }), ...(project !== undefined && { project }), ...(token && { who: tokenName(token) }) }
}

function textAt(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'string' ? found : undefined
}

// How an operation is declared: once, with the need that the door checks and the OpenAPI document shows.

import type { RequiredRole } from '@ironlaw/contracts'
import { PROBLEM } from '@ironlaw/contracts/api'
import type { FastifySchema } from 'fastify'
import * as z from 'zod'

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly need?: RequiredRole
    /** Open to any client, without a token: the handler must bound the work that requests can cause. */
    readonly open?: true
  }
}

export const problemResponse = (description: string) => ({ description, content: { 'application/problem+json': { schema: PROBLEM } } })

const PROBLEMS = {
  400: problemResponse('Invalid request; the title names the field'),
  401: problemResponse('No valid token'),
  403: problemResponse('The token may not do this'),
  404: problemResponse('Not found'),
  409: problemResponse('Conflicts with the current state'),
  413: problemResponse('Too large'),
  429: problemResponse('Rate limit exceeded; Retry-After says when to try again'),
  503: problemResponse('A service behind the API does not answer'),
}

type OperationDeclaration<Schema extends FastifySchema> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  /** 'open': without a token. */
  readonly need: RequiredRole | 'open'
  readonly summary: string
  readonly id: string
  readonly schema: Schema
}

export function operation<const Schema extends FastifySchema & { readonly response: object }>(declared: OperationDeclaration<Schema>) {
  const { method, url, need, summary, id, schema } = declared
  return {
    method,
    url,
    config: need === 'open' ? { open: true as const } : { need },
    // A scope of the bearer token: the role, or `run` for the token that a job carries.
    schema: {
      ...schema,
      operationId: id,
      summary,
      security: need === 'open' ? [] : [{ token: [need] }],
      response: { ...schema.response, ...PROBLEMS },
    },
  }
}

export const textResponse = (description: string, type = 'text/plain') => ({ description, content: { [type]: { schema: z.string() } } })

// An operation as a route: the need that the authentication checks and the OpenAPI document shows.

import type { Need } from '@ironlaw/contracts'
import { type Operation, problemResponse } from '@ironlaw/contracts/operation'

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly need?: Need
    /** Open to any client, without a token: the handler must bound the work that requests can cause. */
    readonly open?: true
  }
}

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

export function route<Schema extends Operation['schema']>({ method, url, need, summary, id, schema }: Operation<Schema>) {
  return {
    method,
    url,
    config: need === 'open' ? { open: true as const } : { need },
    // A scope of the bearer token: the role, with `site:` where it must hold everywhere, or `run` for the token that a job carries.
    schema: {
      ...schema,
      operationId: id,
      summary,
      security: need === 'open' ? [] : [{ token: [scopeText(need)] }],
      response: { ...schema.response, ...PROBLEMS },
    },
  }
}

const scopeText = (need: Need): string => (typeof need === 'string' ? need : `${need.scope === 'site' ? 'site:' : ''}${need.role}`)

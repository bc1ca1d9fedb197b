// What every answer of the API tells a browser: to keep nothing, to show nothing as a page, to let no other site read it. There are no CORS
// headers at all: the console is of the same origin, and no other page may use the API with the session of a visitor.

import type { TLSSocket } from 'node:tls'
import type { FastifyInstance } from 'fastify'

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** A year. Browsers heed it only over TLS with a certificate that they trust. */
export const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' } as const

export const isEncrypted = (socket: object): boolean => (socket as Partial<TLSSocket>).encrypted === true

export function addApiHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...HEADERS, ...(isEncrypted(request.raw.socket) && STRICT_TRANSPORT) })
  })
}

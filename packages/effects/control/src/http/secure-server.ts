// The API's server with TLS: the certificate is replaced without closing a connection.

import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer } from 'node:https'
import { followCertificate, type LiveCertificate, secureOptions } from '@ironlaw/certificates'

/** Fastify gives its time limits only to a server that it makes itself. */
export function secureServer(certificate: LiveCertificate, limits: ServerOptions): (handler: RequestListener) => Server {
  return (handler) => {
    const server = createServer({ ...secureOptions(certificate.current()), ...limits }, handler)
    followCertificate(server, certificate)
    return server
  }
}

// Who an engine must be, and who the gateway is to it.

import type { ConnectionOptions } from 'node:tls'
import type { LiveCertificate } from '@ironlaw/certificates'

export type EngineTls = {
  /** What the engine's certificate must name. */
  readonly servername: string
  readonly identity: LiveCertificate | undefined
}

/** Read for each connection, so that a renewed certificate is used from the next one on. */
export function engineTlsOptions({ servername, identity }: EngineTls): ConnectionOptions {
  const current = identity?.current()
  return {
    servername,
    minVersion: 'TLSv1.2',
    ...(current && { cert: current.cert, key: current.key }),
    ...(current?.ca !== undefined && { ca: current.ca }),
  }
}

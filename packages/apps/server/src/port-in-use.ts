// Whether a port can be had, found out before anything else is started.

import { once } from 'node:events'
import { createServer } from 'node:net'

/** Throws what the system says where it cannot. Another process may take it right after; the one who then listens says so. */
export async function refusePortInUse({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  const probe = createServer().listen({ host, port })
  await once(probe, 'listening')
  const closed = once(probe, 'close')
  probe.close()
  await closed
}

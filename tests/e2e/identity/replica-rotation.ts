// The certificate of a replica, replaced as the control plane does when two thirds of its life are over.

import { once } from 'node:events'
import { chownSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { openAuthority } from '@ironlaw/certificates'
import { replicaTlsName } from '@ironlaw/contracts'
import { replicaOf } from './announcements.ts'
import { serialOf } from './certificate-files.ts'
import { until } from './checks.ts'
import type { IdentityBed } from './identity-bed.ts'
import type { Side } from './sides.ts'

const HANDSHAKE_MS = 5000

/** Until its engine shows the new one. */
export async function rotateReplica({ control, directory, runs }: IdentityBed, side: Side): Promise<void> {
  const { id, url = '' } = await replicaOf(control, side)
  const authority = await openAuthority(join(directory, 'authority'))
  const name = replicaTlsName(id)
  const { cert, key, ca } = await authority.issue({ holder: `replica ${id}`, names: [name], addresses: [], usage: 'server' })
  for (const [file, text] of Object.entries({ 'cert.pem': cert, 'key.pem': key })) {
    const path = join(runs, 'replicas', id, 'tls', file)
    writeFileSync(`${path}.new`, text, { mode: 0o400 })
    chownSync(`${path}.new`, side.user.uid, side.user.uid)
    renameSync(`${path}.new`, path)
  }
  const client = await authority.issue({ holder: 'test client', names: [], addresses: [], usage: 'client' })
  const { hostname, port } = new URL(url)
  await until(`${id} shows its new certificate`, async () => {
    const socket = connect({ host: hostname, port: Number(port), servername: name, ca, cert: client.cert, key: client.key })
    try {
      await once(socket, 'secureConnect', { signal: AbortSignal.timeout(HANDSHAKE_MS) })
      return socket.getPeerCertificate().serialNumber === serialOf(cert)
    } catch {
      // Looked at again.
      return false
    } finally {
      socket.destroy()
    }
  })
}

// The certificate of an engine, from the directory that the control plane wrote for its replica, or that a person made.

import { join } from 'node:path'
import { type LiveCertificate, watchCertificate } from '@ironlaw/certificates'

export const engineCertificate = (folder: string): Promise<LiveCertificate> =>
  watchCertificate(
    { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), ca: join(folder, 'ca.pem') },
    { tell: (line) => process.stderr.write(`${line}\n`) },
  )

// A certificate that is its own authority, for a few processes that share one private directory: each presents it and trusts it alone.

import { randomBytes } from 'node:crypto'
import { ALGORITHM, makeKeys, privateKeyPem } from './certificate-request.ts'
import { loadX509 } from './x509.ts'

const DAY_MS = 86_400_000
/** No longer than the site's own authority; a training run takes months at most. */
const VALID_DAYS = 3650

/** Certificate and key, one after the other: the content of one file. */
export async function makeOwnCertificate(holder: string, now = Date.now()): Promise<string> {
  const x509 = await loadX509()
  const keys = await makeKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    name: new x509.Name([{ O: ['Ironlaw'] }, { CN: [holder] }]).toString(),
    // Nodes whose clocks are a day behind still take part.
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return `${certificate.toString('pem')}\n${privateKeyPem(keys.privateKey)}`
}

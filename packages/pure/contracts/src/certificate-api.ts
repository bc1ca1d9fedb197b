// Certificates of the site's authority on the wire.

import * as z from 'zod'

const PEM_CHARACTERS = 8192
const hosts = z.array(z.string().min(1).max(253)).max(64).default([])

export const CERTIFICATE_REQUEST = z
  .strictObject({
    request: z.string().max(PEM_CHARACTERS).describe('Certificate request (PKCS #10) in PEM; the names in it are ignored'),
    names: hosts.describe('Host names under which it is reached'),
    addresses: hosts.describe('Addresses under which it is reached'),
  })
  .meta({ id: 'CertificateRequest' })

export const NEW_CERTIFICATE = CERTIFICATE_REQUEST.extend({
  name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'letters, digits, dots, hyphens and underscores, at most 63'),
  usage: z.enum(['server', 'client', 'both']).default('server'),
  days: z.int().min(1).max(398).default(30),
}).meta({ id: 'NewCertificate' })

export const ISSUED_CERTIFICATE = z
  .object({
    certificate: z.string(),
    ca: z.string(),
    names: z.array(z.string()),
    serial: z.string().exactOptional().describe('As the audit trail names it'),
    until_at: z.number(),
  })
  .meta({ id: 'IssuedCertificate' })

export const SITE_AUTHORITY = z
  .object({ ca: z.string(), subject: z.string(), until_at: z.number(), fingerprint: z.string() })
  .meta({ id: 'SiteAuthority' })

/** As a gateway keeps its own. */
export const KEPT_CERTIFICATE = z.object({ cert: z.string(), key: z.string(), ca: z.string() })

export type IssuedCertificate = z.infer<typeof ISSUED_CERTIFICATE>

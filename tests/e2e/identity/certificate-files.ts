// A certificate and its key in files that a server watches, issued through the API and replaced as an administrator would.

import { X509Certificate } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificateRequest } from '@ironlaw/certificates'
import type { IssuedCertificate } from '@ironlaw/contracts/certificate-api'
import type { Site } from './site.ts'

export type CertificateFiles = { readonly cert: string; readonly key: string }

export function certificateFiles(directory: string): CertificateFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
}

/** Whole or not at all, one after the other: in between the pair does not belong together. */
export function writeCertificate(files: CertificateFiles, { cert, key }: CertificateFiles): void {
  replaceFile(files.cert, cert)
  replaceFile(files.key, key)
}

export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export type CertificateOrder = { readonly name: string; readonly address: string }

/** The serial number of the new certificate. */
export async function replaceCertificate(
  { control, admin }: { readonly control: Site; readonly admin: string },
  files: CertificateFiles,
  { name, address }: CertificateOrder,
): Promise<string> {
  const { key, request } = await makeCertificateRequest()
  const body = { name, request, addresses: [address] }
  const { certificate: cert } = await control.get<IssuedCertificate>({ path: '/v1/certificates', method: 'POST', token: admin, body })
  writeCertificate(files, { cert, key })
  return serialOf(cert)
}

export const serialOf = (pem: string): string => new X509Certificate(pem).serialNumber

// What to do when a connection fails because of the other side's certificate.

type Peer = {
  /** The command that serves there. */
  readonly program: string
  /** How to trust its authority, other than by IRONLAW_CA. */
  readonly trust: string
}

/** Undefined for any other problem. */
export function certificateAdvice(cause: unknown, { program, trust }: Peer): string | undefined {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'CERT_HAS_EXPIRED') return `its certificate is to be renewed there: "${program}" says in its log why it was not`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'use an address that its certificate names, which the reason lists'
  if (code.startsWith('ERR_SSL_')) return 'it does not speak HTTPS there: its address may begin with http://'
  return /CERT|VERIFY|ISSUER/.test(code)
    ? `its certificate comes from an authority that this machine does not know: set IRONLAW_CA to its ca.pem, or ${trust}`
    : undefined
}

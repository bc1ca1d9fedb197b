// Where the audit trail is sent, as a flag names it: `file:PATH`, `syslog:udp://HOST:PORT` (or tcp, tls) and `https://...`.

import { readFileSync } from 'node:fs'
import { IronlawError } from '@ironlaw/contracts'
import { fileSink } from './file-sink.ts'
import type { AuditSink } from './sink.ts'
import { syslogSink } from './syslog-sink.ts'
import { webSink } from './web-sink.ts'

export type AuditTarget = { readonly name: string; readonly sink: AuditSink }

type TargetOptions = {
  /** For `https://`, as a bearer token. */
  readonly token?: string
}

const FORMS = 'file:PATH, syslog:udp://HOST:PORT (or tcp, tls), or https://HOST/PATH'
const PORTS = { udp: 514, tcp: 601, tls: 6514 } as const

/** Several have commas between them. */
export const auditTargets = (text: string, options: TargetOptions = {}): readonly AuditTarget[] =>
  text
    .split(/,(?=file:|syslog:|https?:)/)
    .filter((each) => each !== '')
    .map((each) => auditTarget(each, options))

function auditTarget(text: string, options: TargetOptions): AuditTarget {
  if (/^file:./.test(text)) return { name: text, sink: fileSink(text.slice('file:'.length)) }
  const isSyslog = text.startsWith('syslog:')
  const address = isSyslog ? text.slice('syslog:'.length) : text
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || url.hostname === '') throw wrongTarget(text, `expected ${FORMS}`)
  const ca = authorityIn(url, text)
  // A token in the address stays out of what "ironlaw audit sinks" shows.
  const name = `${isSyslog ? 'syslog:' : ''}${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`
  const transport = url.protocol.slice(0, -1)
  if (isSyslog && (transport === 'udp' || transport === 'tcp' || transport === 'tls')) {
    const host = url.hostname.replaceAll(/[[\]]/g, '')
    return { name, sink: syslogSink({ transport, host, port: Number(url.port) || PORTS[transport], ...ca }) }
  }
  if (!isSyslog && (transport === 'https' || (transport === 'http' && isLoopback(url.hostname))))
    return { name, sink: webSink(url.href, { ...options, ...ca }) }
  throw wrongTarget(text, transport === 'http' ? 'http only reaches this machine; use https' : `expected ${FORMS}`)
}

/** `?ca=FILE` names the authority that signed the certificate of the other side. */
function authorityIn(url: URL, text: string): { readonly ca?: string } {
  const file = url.searchParams.get('ca')
  if (file === null) return {}
  url.searchParams.delete('ca')
  try {
    return { ca: readFileSync(file, 'utf8') }
  } catch (cause) {
    throw wrongTarget(text, `cannot read ${file}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host)

const wrongTarget = (text: string, problem: string): IronlawError =>
  new IronlawError('IL_USAGE', { problem: `--audit-to ${text}: ${problem}`, command: 'up' })

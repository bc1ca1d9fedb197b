// Where the audit trail is sent, as a flag names it: `file:PATH`, `syslog:udp://HOST:PORT` (or tcp, tls) and `https://...`.

import { IronlawError } from '@ironlaw/contracts'
import { fileSink } from './file-sink.ts'
import type { AuditSink } from './sink.ts'
import { syslogSink } from './syslog-sink.ts'
import { authorityIn, INSECURE, isPrivate, publicName } from './web-address.ts'
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
  const ca = authorityIn(url, (problem) => wrongTarget(text, problem))
  // A token in the address stays out of what "ironlaw audit sinks" shows.
  const name = `${isSyslog ? 'syslog:' : ''}${publicName(url)}`
  const transport = url.protocol.slice(0, -1)
  if (isSyslog && (transport === 'udp' || transport === 'tcp' || transport === 'tls')) {
    const host = url.hostname.replaceAll(/[[\]]/g, '')
    return { name, sink: syslogSink({ transport, host, port: Number(url.port) || PORTS[transport], ...ca }) }
  }
  if (!isSyslog && isPrivate(url)) return { name, sink: webSink(url.href, { ...options, ...ca }) }
  throw wrongTarget(text, transport === 'http' ? INSECURE : `expected ${FORMS}`)
}

const wrongTarget = (text: string, problem: string): IronlawError =>
  new IronlawError('IL_USAGE', { problem: `--audit-to ${text}: ${problem}`, command: 'up' })

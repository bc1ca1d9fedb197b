// One bounded request to a replica. Over TLS both sides show a certificate of the site's authority; the replica's must name it.

import { request as requestPlain } from 'node:http'
import { request as requestSecurely } from 'node:https'
import type { LiveCertificate } from '@ironlaw/certificates'

export type ReplicaRequest = {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly within_ms: number
  /** What its certificate must name. */
  readonly tlsName: string
}

export type ReplicaResponse = {
  readonly status: number
  readonly ok: boolean
  readonly header: (name: string) => string
  readonly body: unknown
}

/** One short completion, with room for what engines add to it. */
const ANSWER_BYTES = 262_144

/** Undefined where there is no answer, or more than fits. The body is JSON where it says so. Redirects are not followed. */
export async function askReplica(
  url: string,
  request: ReplicaRequest,
  own: LiveCertificate | undefined,
): Promise<ReplicaResponse | undefined> {
  const answer = await identifyReplica(url, request, own)
  return answer === 'another' ? undefined : answer
}

/** `another`: what answers there has a certificate of the site that names something else. */
export async function identifyReplica(
  url: string,
  { method = 'GET', headers = {}, body, within_ms, tlsName }: ReplicaRequest,
  own: LiveCertificate | undefined,
): Promise<ReplicaResponse | 'another' | undefined> {
  const { promise, resolve } = Promise.withResolvers<ReplicaResponse | 'another' | undefined>()
  const isSecure = url.startsWith('https:')
  const current = isSecure ? own?.current() : undefined
  const tls = { ...(current && { cert: current.cert, key: current.key, ca: current.ca }), servername: tlsName }
  const options = { method, headers, signal: AbortSignal.timeout(within_ms), ...(isSecure && { ...tls, minVersion: 'TLSv1.2' as const }) }
  const request = (isSecure ? requestSecurely : requestPlain)(url, options)
  // Not reached, or what answers there is not an engine: probed again at the next look.
  request.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? 'another' : undefined))
  request.on('response', (response) => {
    const parts: Buffer[] = []
    let size = 0
    response.on('error', () => resolve(undefined))
    response.on('data', (part: Buffer) => {
      size += part.length
      parts.push(part)
      if (size > ANSWER_BYTES) {
        resolve(undefined)
        request.destroy()
      }
    })
    response.on('end', () => resolve(responseOf(response.statusCode ?? 0, response.headers, Buffer.concat(parts).toString('utf8'))))
  })
  request.end(body)
  return promise
}

function responseOf(
  status: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  text: string,
): ReplicaResponse | undefined {
  const header = (name: string): string => String(headers[name] ?? '')
  try {
    const isJson = header('content-type').startsWith('application/json')
    return { status, ok: status >= 200 && status < 300, header, body: isJson ? JSON.parse(text) : text }
  } catch {
    // Not JSON, whatever it says of itself.
    return undefined
  }
}

// Lines as newline-delimited JSON in the body of a POST; any status of success takes them.

import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AuditSink } from './sink.ts'

const ANSWER_WITHIN_MS = 10_000

type WebOptions = {
  /** Sent as a bearer token. */
  readonly token?: string
  /** PEM of the authority that signed the certificate, if the system does not know it. */
  readonly ca?: string
}

export const webSink = (url: string, { token, ca }: WebOptions): AuditSink => ({
  write: (lines) => post(url, { token, ca, body: lines.map(({ text }) => `${text}\n`).join('') }),
  close: () => undefined,
})

type Post = { readonly token: string | undefined; readonly ca: string | undefined; readonly body: string }

function post(url: string, { token, ca, body }: Post): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = { 'content-type': 'application/x-ndjson', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const options = { method: 'POST', headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS), ...(ca !== undefined && { ca }) }
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, options, (answer) => {
    answer.resume()
    const status = answer.statusCode ?? 0
    answer.on('end', () => (status >= 200 && status < 300 ? resolve() : reject(new Error(`it answered ${status}`))))
    answer.on('error', reject)
  })
  request.on('error', reject)
  request.end(body)
  return promise
}

// A POST that ends within a time, whatever the other side does.

import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

const ANSWER_WITHIN_MS = 10_000

export type WebOptions = {
  /** Sent as a bearer token. */
  readonly token?: string
  /** PEM of the authority that signed the certificate, if the system does not know it. */
  readonly ca?: string
}

type Post = WebOptions & {
  readonly type: string
  readonly body: string
  readonly within_ms?: number
  /** Gives it up. */
  readonly signal?: AbortSignal
}

/** It was answered, but not with success. */
export class RefusedPost extends Error {
  readonly status: number
  constructor(status: number) {
    super(`it answered ${status}`)
    this.status = status
  }
}

export function post(url: string, { token, ca, type, body, within_ms = ANSWER_WITHIN_MS, signal }: Post): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = { 'content-type': type, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const timeout = AbortSignal.timeout(within_ms)
  const fail = (cause: Error): void =>
    reject(timeout.aborted ? new Error(`it did not answer within ${within_ms / 1000} s`, { cause }) : cause)
  const options = {
    method: 'POST',
    headers,
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    ...(ca !== undefined && { ca }),
  }
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, options, (answer) => {
    answer.resume()
    const status = answer.statusCode ?? 0
    answer.on('end', () => (status >= 200 && status < 300 ? resolve() : reject(new RefusedPost(status))))
    answer.on('error', fail)
  })
  request.on('error', fail)
  request.end(body)
  return promise
}

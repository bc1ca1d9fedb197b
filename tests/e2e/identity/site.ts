// An address beyond loopback in a network namespace of the test's own, and requests to what listens there.

import { execFileSync, spawnSync } from 'node:child_process'
import { Agent, request } from 'node:https'
import { TLSSocket } from 'node:tls'

export const SITE_ADDRESS = '10.77.0.1'

const INSIDE = 'IRONLAW_E2E_NAMESPACE'

/** Runs the program again in a network namespace where nothing else listens and no packet leaves the machine. */
export function enterNamespace(program: string): void {
  if (process.env[INSIDE] !== undefined) {
    execFileSync('ip', ['link', 'set', 'lo', 'up'])
    execFileSync('ip', ['address', 'add', `${SITE_ADDRESS}/32`, 'dev', 'lo'])
    return
  }
  const { status } = spawnSync('unshare', ['--net', process.execPath, program], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  })
  process.exit(status ?? 1)
}

export type Question = {
  readonly path: string
  readonly method?: string
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Reply = {
  readonly status: number
  readonly text: string
  /** Id of the request. */
  readonly request: string
  /** Of the certificate that the server showed. */
  readonly serial: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** A server that is trusted by the certificate of its authority alone. */
export class Site {
  readonly #base: string
  readonly #agent: Agent

  constructor(base: string, ca: string, { connectsAnew = false }: { readonly connectsAnew?: boolean } = {}) {
    this.#base = base
    // A resumed session would show no certificate.
    this.#agent = new Agent({ ca, keepAlive: !connectsAnew, ...(connectsAnew && { maxCachedSessions: 0 }) })
  }

  async ask({ path, method = 'GET', token, body, headers = {} }: Question): Promise<Reply> {
    const answer = Promise.withResolvers<Reply>()
    const sent = request(`${this.#base}${path}`, {
      method,
      agent: this.#agent,
      timeout: 20_000,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    sent.on('error', answer.reject).on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)))
    sent.on('response', (response) => {
      const parts: Buffer[] = []
      const serial = response.socket instanceof TLSSocket ? response.socket.getPeerCertificate().serialNumber : ''
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', answer.reject)
      response.on('end', () =>
        answer.resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(parts).toString(),
          request: String(response.headers['x-request-id'] ?? ''),
          serial,
          headers: response.headers,
        }),
      )
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    return answer.promise
  }

  /** The answer's JSON; an error for a refusal. */
  async get<T>(question: Question): Promise<T> {
    const { status, text } = await this.ask(question)
    if (status >= 300) throw new Error(`${question.method ?? 'GET'} ${question.path}: ${status} ${text}`)
    return JSON.parse(text === '' ? 'null' : text) as T
  }

  /** What all pages of a list have; a page may end early, so only its cursor says that there are no more. */
  async all<T>(question: Question): Promise<readonly T[]> {
    const items: T[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const path: string = `${question.path}?limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
      const page: { readonly items: readonly T[]; readonly next: string | null } = await this.get({ ...question, path })
      items.push(...page.items)
      cursor = page.next
    }
    return items
  }

  close(): void {
    this.#agent.destroy()
  }
}

// A real OpenID provider in this process, with a few people, and a person who signs in there without a browser.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Configuration, type JWK, Provider } from 'oidc-provider'

export type IdentityProviderBed = { readonly issuer: string; readonly close: () => Promise<void> }

export const PUBLIC_CLIENT = 'ironlaw'
export const CONFIDENTIAL_CLIENT = 'ironlaw-confidential'
export const CLIENT_SECRET = 'a secret with spaces, + and %'

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  ada: ['platform'],
  sam: ['search-eng', 'everybody'],
  eve: ['everybody', '<b>marketing</b>'],
  rae: ['red-people'],
  ben: ['blue-people'],
  nobody: [],
}

type ProviderOptions = {
  /** Where the control plane takes its redirects. */
  readonly publicUrl: string
  /** Only to whoever asks for the user's information. */
  readonly groupsInUserInfo?: boolean
  readonly port?: number
  /** With a certificate for this address; plain HTTP on loopback where it is absent. */
  readonly secure?: { readonly host: string; readonly cert: string; readonly key: string }
}

export async function identityProviderBed({
  publicUrl,
  groupsInUserInfo = false,
  port = 0,
  secure,
}: ProviderOptions): Promise<IdentityProviderBed> {
  const server = secure ? createSecureServer({ cert: secure.cert, key: secure.key }) : createServer()
  const host = secure?.host ?? '127.0.0.1'
  server.listen(port, host)
  await once(server, 'listening')
  const issuer = `${secure ? 'https' : 'http'}://${host}:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, configuration(publicUrl, groupsInUserInfo))
  const answer = provider.callback()
  server.on('request', (request, response) => void answer(request, response))
  return {
    issuer,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function configuration(publicUrl: string, groupsInUserInfo: boolean): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const client = {
    redirect_uris: [new URL('/v1/sign-in/callback', publicUrl).href],
    post_logout_redirect_uris: [new URL('/console/', publicUrl).href],
    grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
  }
  return {
    clients: [
      { ...client, client_id: PUBLIC_CLIENT, token_endpoint_auth_method: 'none', application_type: 'native' },
      { ...client, client_id: CONFIDENTIAL_CLIENT, client_secret: CLIENT_SECRET, application_type: 'native' },
    ],
    jwks: { keys: [{ ...(privateKey.export({ format: 'jwk' }) as JWK), alg: 'RS256', use: 'sig', kid: 'first' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'groups'],
    conformIdTokenClaims: groupsInUserInfo,
    features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    pkce: { required: () => true },
    ttl: { AccessToken: 600, AuthorizationCode: 60, DeviceCode: 600, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, name: `${accountId} of the tests`, groups: GROUPS[accountId] ?? [] }),
    }),
  }
}

/** A browser without a screen: keeps cookies by host and port, follows redirects, sends forms. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** Follows redirects while they stay at the given origin; the answer may be a redirect to elsewhere. */
  async visit(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url)
    const kept = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, kept)
    const headers = new Headers(init.headers)
    if (kept.size > 0) headers.set('cookie', [...kept].map(([name, value]) => `${name}=${value}`).join('; '))
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) kept.delete(name)
      else kept.set(name, value)
    }
    return answer
  }

  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).host)?.get(name)
  }

  setCookie(url: string, name: string, value: string): void {
    const { host } = new URL(url)
    this.#cookies.set(host, (this.#cookies.get(host) ?? new Map<string, string>()).set(name, value))
  }

  /** From a page of the provider to the first address outside of it, or to the last page there. */
  async signInAt(url: string, login: string): Promise<{ readonly url: string; readonly answer: Response | undefined }> {
    const { origin } = new URL(url)
    let [at, answer] = [url, await this.visit(url)]
    for (let step = 0; step < 20; step += 1) {
      const location = answer.headers.get('location')
      if (location !== null) {
        at = new URL(location, at).href
        if (new URL(at).origin !== origin) return { url: at, answer: undefined }
        answer = await this.visit(at)
        continue
      }
      const html = await answer.text()
      const form = readForm(html, login)
      if (!form) return { url: at, answer: new Response(html, { status: answer.status }) }
      at = new URL(form.action, at).href
      answer = await this.visit(at, { method: 'POST', body: form.fields })
    }
    throw new Error(`signing in at ${url} does not end`)
  }
}

function readForm(html: string, login: string) {
  // Each page of the provider has one form that goes on; that of a device code confirms itself by its first one.
  const [, action, body = ''] = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(html) ?? []
  if (action === undefined) return undefined
  const inputs = [...body.matchAll(/<input[^>]*name="([^"]+)"[^>]*>/g)]
  const fields = new URLSearchParams(inputs.map(([whole, name = '']): [string, string] => [name, /value="([^"]*)"/.exec(whole)?.[1] ?? '']))
  if (fields.has('login')) fields.set('login', login)
  if (fields.has('password')) fields.set('password', 'any')
  return { action: action.replaceAll('&amp;', '&'), fields }
}

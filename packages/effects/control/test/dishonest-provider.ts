// An identity provider that answers each sign-in with whatever ID token a test wants.

import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Token = {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** 'right' when absent. 'foreign': by a key that is not published. 'mac': the public key as the secret of a MAC. */
  readonly signature?: 'right' | 'foreign' | 'mac' | 'none' | 'damaged'
}

export type DishonestProvider = {
  readonly issuer: string
  /** The ID token of the next sign-in; undefined for none. */
  answerWith: (token: Token | undefined) => void
  /** Metadata that replaces the right one. */
  claim: (metadata: Readonly<Record<string, unknown>>) => void
  readonly close: () => Promise<void>
}

const now = (): number => Math.floor(Date.now() / 1000)
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export async function dishonestProvider(clientId: string): Promise<DishonestProvider> {
  const [own, foreign] = [generateKeyPairSync('rsa', { modulusLength: 2048 }), generateKeyPairSync('rsa', { modulusLength: 2048 })]
  const signedBy = (key: KeyObject, text: string): string => sign('sha256', Buffer.from(text), key).toString('base64url')
  const signatures: Readonly<Record<NonNullable<Token['signature']>, (text: string) => string>> = {
    right: (text) => signedBy(own.privateKey, text),
    foreign: (text) => signedBy(foreign.privateKey, text),
    mac: (text) =>
      createHmac('sha256', own.publicKey.export({ format: 'pem', type: 'spki' }))
        .update(text)
        .digest('base64url'),
    none: () => '',
    damaged: (text) => signedBy(own.privateKey, `${text}.`),
  }
  let token: Token | undefined = {}
  let metadata: Readonly<Record<string, unknown>> = {}
  let nonce = ''
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  function idToken({ header = {}, claims = {}, signature = 'right' }: Token): string {
    const right = { iss: issuer, aud: clientId, sub: 'ada', nonce, iat: now(), exp: now() + 300, name: 'Ada', groups: ['platform'] }
    const body = Object.fromEntries(Object.entries({ ...right, ...claims }).filter(([, value]) => value !== undefined))
    const text = `${part({ alg: 'RS256', kid: 'own', ...header })}.${part(body)}`
    return `${text}.${signatures[signature](text)}`
  }
  const answers: Readonly<Record<string, (url: URL, response: ServerResponse) => void>> = {
    '/.well-known/openid-configuration': (_, response) =>
      json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...metadata,
      }),
    '/keys': (_, response) =>
      json(response, { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }] }),
    '/authorize': ({ searchParams }, response) => {
      nonce = searchParams.get('nonce') ?? ''
      const back = new URL(searchParams.get('redirect_uri') ?? issuer)
      back.search = new URLSearchParams({ code: 'code', state: searchParams.get('state') ?? '' }).toString()
      response.writeHead(302, { location: back.href }).end()
    },
    '/token': (_, response) =>
      json(response, { access_token: 'access', token_type: 'Bearer', expires_in: 60, ...(token && { id_token: idToken(token) }) }),
  }
  server.on('request', (request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '/', issuer)
    const answer = answers[url.pathname]
    if (answer) answer(url, response)
    else response.writeHead(404).end()
  })
  return {
    issuer,
    answerWith: (given) => (token = given),
    claim: (given) => (metadata = given),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

// The identity provider, by OpenID Connect. `openid-client` checks what comes back: issuer, audience, expiry, nonce, state and signature.

import { readFileSync } from 'node:fs'
import { IronlawError } from '@ironlaw/contracts'
import * as oidc from 'openid-client'
import { type Claims, claimAt, type Identity, identityOf } from './identity.ts'
import { providerError } from './provider-error.ts'
import { redirectUri, type SignInSettings } from './settings.ts'

/** What must come back unchanged, kept by the browser that began. */
export type SignInChecks = { readonly state: string; readonly nonce: string; readonly verifier: string }

type DeviceCode = Awaited<ReturnType<typeof oidc.initiateDeviceAuthorization>>

type DevicePoll = { readonly state: 'pending'; readonly slower: boolean } | { readonly state: 'signed-in'; readonly identity: Identity }

export type IdentityProvider = {
  readonly settings: SignInSettings
  readonly authorizationUrl: (checks: SignInChecks) => Promise<URL>
  /** The person whose code the address carries that the provider redirected to. */
  readonly identify: (redirectedTo: URL, checks: SignInChecks) => Promise<Identity>
  readonly startDevice: () => Promise<DeviceCode>
  readonly pollDevice: (code: string) => Promise<DevicePoll>
  /** Where a browser signs out of the provider; undefined where the provider has no such place. */
  readonly signOutUrl: () => Promise<URL | undefined>
}

export const newChecks = (): SignInChecks => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  verifier: oidc.randomPKCECodeVerifier(),
})

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export function identityProvider(settings: SignInSettings): IdentityProvider {
  const { issuer, scopes: scope } = settings
  const configuration = lazyConfiguration(settings)
  const ask = async <Value>(question: (known: oidc.Configuration) => Promise<Value>): Promise<Value> => {
    const known = await configuration()
    try {
      return await question(known)
    } catch (cause) {
      throw providerError(cause, issuer)
    }
  }
  return {
    settings,
    authorizationUrl: ({ state, nonce, verifier }) =>
      ask(async (known) => {
        const code_challenge = await oidc.calculatePKCECodeChallenge(verifier)
        const where = { redirect_uri: redirectUri(settings), scope, state, nonce, code_challenge, code_challenge_method: 'S256' }
        return oidc.buildAuthorizationUrl(known, where)
      }),
    identify: (redirectedTo, { state, nonce, verifier }) =>
      ask(async (known) => {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
        return identityFrom(known, await oidc.authorizationCodeGrant(known, redirectedTo, checks), settings)
      }),
    startDevice: () =>
      ask((known) => {
        if (known.serverMetadata().device_authorization_endpoint === undefined)
          throw refusedFor('the provider has no device codes', 'sign in to the console, or use a token ("ironlaw token create")')
        return oidc.initiateDeviceAuthorization(known, { scope })
      }),
    pollDevice: (code) => ask((known) => pollOnce(known, code, settings)),
    signOutUrl: () =>
      ask(async (known) => {
        if (known.serverMetadata().end_session_endpoint === undefined) return undefined
        return oidc.buildEndSessionUrl(known, { post_logout_redirect_uri: new URL('/console/', settings.publicUrl()).href })
      }),
  }
}

/** The provider tells pending from refused by the code of its error (RFC 8628, section 3.5). */
async function pollOnce(known: oidc.Configuration, device_code: string, settings: SignInSettings): Promise<DevicePoll> {
  try {
    const tokens = await oidc.genericGrantRequest(known, DEVICE_GRANT, { device_code })
    return { state: 'signed-in', identity: await identityFrom(known, tokens, settings) }
  } catch (cause) {
    const error = cause instanceof oidc.ResponseBodyError ? cause.error : ''
    if (error === 'authorization_pending' || error === 'slow_down') return { state: 'pending', slower: error === 'slow_down' }
    throw cause
  }
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>

/** Some providers give groups in the ID token, others only to whoever asks for the user's information. */
async function identityFrom(known: oidc.Configuration, tokens: Tokens, { groupsClaim }: SignInSettings): Promise<Identity> {
  const claims = tokens.claims()
  if (claims === undefined) throw refusedFor('the provider sent no ID token', 'the scope "openid" must be among --oidc-scopes')
  const isWhole = claimAt(claims, groupsClaim) !== undefined
  const hasMore = known.serverMetadata().userinfo_endpoint !== undefined
  const more = isWhole || !hasMore ? {} : await oidc.fetchUserInfo(known, tokens.access_token, claims.sub)
  const all: Claims = { ...more, ...claims }
  if (claimAt(all, groupsClaim) === undefined && isOverage(all, groupsClaim))
    throw refusedFor(
      'the provider left the groups out, because there are too many',
      'have it send only the groups assigned to this application',
    )
  return identityOf(all, groupsClaim)
}

/** Entra replaces more than 200 groups by a reference (OpenID Connect Core, section 5.6.2). */
const isOverage = ({ _claim_names: names }: Claims, groupsClaim: string): boolean =>
  typeof names === 'object' && names !== null && Object.hasOwn(names, groupsClaim)

const refusedFor = (reason: string, next: string): IronlawError => new IronlawError('IL_SIGN_IN', { reason, next })

const METADATA_VALID_MS = 3_600_000
const ANSWER_WITHIN_S = 5

/** Discovered when the first person signs in, so that the control plane starts without the provider; again after a failure, and hourly. */
function lazyConfiguration(settings: SignInSettings): () => Promise<oidc.Configuration> {
  let known: { readonly configuration: oidc.Configuration; readonly until: number } | undefined
  let discovering: Promise<oidc.Configuration> | undefined
  return async () => {
    if (known && performance.now() < known.until) return known.configuration
    discovering ??= discover(settings).finally(() => (discovering = undefined))
    try {
      const configuration = await discovering
      known = { configuration, until: performance.now() + METADATA_VALID_MS }
      return configuration
    } catch (cause) {
      if (known) return known.configuration
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw cause instanceof IronlawError
        ? cause
        : new IronlawError('IL_UNAVAILABLE', { what: `the identity provider ${settings.issuer}`, reason }, { cause })
    }
  }
}

async function discover({ issuer, clientId, clientSecretFile }: SignInSettings): Promise<oidc.Configuration> {
  const secret = clientSecretFile === undefined ? undefined : readFileSync(clientSecretFile, 'utf8').trim()
  const authentication = secret === undefined ? oidc.None() : oidc.ClientSecretBasic(secret)
  const isPlain = new URL(issuer).protocol === 'http:'
  return oidc.discovery(new URL(issuer), clientId, undefined, authentication, {
    timeout: ANSWER_WITHIN_S,
    execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
  })
}

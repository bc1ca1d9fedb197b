// Flags of "ironlaw up" for signing in through an identity provider.

import type { FlagTable } from './program-flags.ts'

export const SIGN_IN_FLAGS = {
  'oidc-issuer': { value: 'url', help: 'identity provider (OpenID Connect) that people sign in with', variable: 'IRONLAW_OIDC_ISSUER' },
  'oidc-client-id': { value: 'id', help: 'what this control plane is called there', variable: 'IRONLAW_OIDC_CLIENT_ID' },
  'oidc-client-secret-file': { value: 'file', help: 'file with its secret, if the provider gave it one' },
  'oidc-groups-claim': { value: 'claim', help: 'claim with the groups of a person', default: 'groups' },
  'oidc-scopes': { value: 'scopes', help: 'what to ask the provider for', default: 'openid profile' },
  'public-url': { value: 'url', help: 'address under which people open the console, if it differs from --listen' },
} as const satisfies FlagTable

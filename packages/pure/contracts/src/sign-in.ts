// Signing in through an identity provider (OpenID Connect): shapes and operations.

import * as z from 'zod'
import { operation } from './operation.ts'

const at = z.number().describe('Seconds since 1970-01-01 UTC')
const seconds = z.number().nonnegative()

export const SIGN_IN_OPTIONS = z
  .object({
    provider: z.object({ host: z.string() }).exactOptional().describe('The identity provider, where one is configured'),
    session: z.object({ name: z.string(), expires_at: at }).exactOptional().describe('The session of the cookie that the request carries'),
  })
  .meta({ id: 'SignInOptions' })

export const DEVICE_SIGN_IN = z
  .object({
    device_code: z.string().describe('Polls for the result; keep it secret'),
    user_code: z
      .string()
      .regex(/^[\x20-\x7E]{1,100}$/)
      .describe('What the person types at the address'),
    verification_uri: z.url({ protocol: /^https?$/ }),
    verification_uri_complete: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('The same address with the code in it'),
    interval_s: seconds.describe('Least time between two polls'),
    expires_in_s: seconds,
  })
  .meta({ id: 'DeviceSignIn' })

const POLL_DEVICE = z
  .strictObject({ device_code: z.string().regex(/^[\x21-\x7E]{1,4096}$/, 'the code as the answer gave it') })
  .meta({ id: 'PollDeviceSignIn' })

export const DEVICE_SIGN_IN_STATE = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('pending'), slow_down: z.boolean().describe('Wait five seconds longer between two polls from now on') }),
    z.object({ state: z.literal('signed-in'), token: z.string(), expires_at: at, name: z.string() }),
  ])
  .meta({ id: 'DeviceSignInState' })

export const SIGNED_OUT = z
  .object({
    provider: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('Where a browser signs out of the identity provider too'),
  })
  .meta({ id: 'SignedOut' })

export const SIGN_IN = {
  getSignInOptions: operation({
    id: 'getSignInOptions',
    method: 'GET',
    url: '/v1/sign-in/options',
    need: 'open',
    summary: 'How a person can sign in, and whether this browser has a session',
    schema: { response: { 200: SIGN_IN_OPTIONS } },
  }),
  startDeviceSignIn: operation({
    id: 'startDeviceSignIn',
    method: 'POST',
    url: '/v1/sign-in/device',
    need: 'open',
    summary: 'Start signing in without a browser on this machine (RFC 8628)',
    schema: { response: { 201: DEVICE_SIGN_IN } },
  }),
  pollDeviceSignIn: operation({
    id: 'pollDeviceSignIn',
    method: 'POST',
    url: '/v1/sign-in/device/token',
    need: 'open',
    summary: 'The token, once the person has confirmed the code; it is given out once',
    schema: { body: POLL_DEVICE, response: { 200: DEVICE_SIGN_IN_STATE } },
  }),
  signOut: operation({
    id: 'signOut',
    method: 'POST',
    url: '/v1/sign-out',
    need: 'open',
    summary: 'End the session of the cookie or token that the request carries',
    schema: { response: { 200: SIGNED_OUT } },
  }),
}

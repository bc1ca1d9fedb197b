// The two cookies of signing in. Over HTTPS they carry the prefix `__Host-`: no other host, and no page over HTTP, can set them.

import { isSecure, type SignInSettings } from './settings.ts'

export type CookieName = 'ironlaw' | 'ironlaw-sign-in'

/** The session never goes along with what another site began; the redirect back from the provider is begun by another site. */
const SAME_SITE: Readonly<Record<CookieName, string>> = { ironlaw: 'Strict', 'ironlaw-sign-in': 'Lax' }

const nameOn = (settings: SignInSettings, name: CookieName): string => (isSecure(settings) ? `__Host-${name}` : name)

export function cookieOf(settings: SignInSettings, name: CookieName, header: string | undefined): string | undefined {
  const start = `${nameOn(settings, name)}=`
  const found = (header ?? '').split(';').map((part) => part.trim())
  return found.find((part) => part.startsWith(start))?.slice(start.length)
}

export type CookieValue = { readonly value: string; readonly maxAge_s: number }

export function setCookie(settings: SignInSettings, name: CookieName, { value, maxAge_s }: CookieValue): string {
  const secure = isSecure(settings) ? '; Secure' : ''
  return `${nameOn(settings, name)}=${value}; Path=/; Max-Age=${maxAge_s}; HttpOnly; SameSite=${SAME_SITE[name]}${secure}`
}

export const clearCookie = (settings: SignInSettings, name: CookieName): string => setCookie(settings, name, { value: '', maxAge_s: 0 })

// Who a person is, from claims that were verified.

export type Identity = { readonly subject: string; readonly name: string; readonly groups: readonly string[] }

export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string }

const MOST_GROUPS = 1000
const LONGEST_GROUP = 256
const LONGEST_NAME = 100

export function identityOf(claims: Claims, groupsClaim: string): Identity {
  const { sub, name, preferred_username, email } = claims
  const names = [name, preferred_username, email, sub].flatMap((each) => (typeof each === 'string' ? [printable(each)] : []))
  return { subject: sub, name: (names.find((each) => each !== '') ?? '').slice(0, LONGEST_NAME), groups: groupsOf(claims, groupsClaim) }
}

/** A claim by its name, which may be a URL with dots, or by a path into nested claims such as `realm_access.roles`. */
export function claimAt(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = Reflect.get(value, part)
  }
  return value
}

function groupsOf(claims: Claims, groupsClaim: string): readonly string[] {
  // Anybody may write any address into a profile, until the provider has checked it.
  if (groupsClaim === 'email' && claims['email_verified'] !== true) return []
  const found = claimAt(claims, groupsClaim)
  const listed: readonly unknown[] = Array.isArray(found) ? found : [found]
  const groups = listed.filter((each) => typeof each === 'string').filter((each) => each !== '' && each.length <= LONGEST_GROUP)
  return [...new Set(groups)].slice(0, MOST_GROUPS)
}

/** Text of others, as it may stand in an answer, an event or on a terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()

// The API with an identity provider, over HTTP: redirects and cookies are what is tested.

import { sql } from 'kysely'
import { type ApiBed, apiBed } from './api-bed.ts'
import { type IdentityProviderBed, identityProviderBed, PUBLIC_CLIENT, Visitor } from './identity-provider.ts'
import { sparePort } from './spare-port.ts'
import type { SignInSettings } from '../src/sign-in/settings.ts'

export type SignInBed = {
  readonly bed: ApiBed
  readonly url: string
  readonly provider: IdentityProviderBed
  /** Those of the start when absent. */
  readonly setTeams: (teams?: object) => Promise<void>
  /** Moves the clock of the control plane. */
  readonly pass: (seconds: number) => void
  /** The answer to the redirect back from the provider. */
  readonly signIn: (login: string, visitor?: Visitor, page?: string) => Promise<Response>
  readonly close: () => Promise<void>
}

type SignInBedOptions = Partial<Omit<SignInSettings, 'publicUrl'>> & { readonly groupsInUserInfo?: boolean }

export const TEAMS = {
  administrators: ['platform'],
  teams: [{ name: 'search', projects: ['search', 'ranking'], members: [{ group: 'search-eng', role: 'member' }] }],
}

export async function signInBed({ groupsInUserInfo = false, ...settings }: SignInBedOptions = {}): Promise<SignInBed> {
  const url = `http://127.0.0.1:${await sparePort()}`
  const provider = await identityProviderBed({ publicUrl: url, groupsInUserInfo })
  let ahead_s = 0
  const bed = await apiBed({
    now: () => Date.now() / 1000 + ahead_s,
    signIn: {
      issuer: provider.issuer,
      clientId: PUBLIC_CLIENT,
      groupsClaim: 'groups',
      scopes: 'openid profile groups',
      ...settings,
      publicUrl: () => url,
    },
  })
  await bed.api.listen({ host: '127.0.0.1', port: Number(new URL(url).port) })
  await storeTeams(bed, TEAMS)
  return {
    bed,
    url,
    provider,
    setTeams: (teams = TEAMS) => storeTeams(bed, teams),
    pass: (seconds) => (ahead_s += seconds),
    signIn: async (login, visitor = new Visitor(), page = '/runs') => {
      const begun = await visitor.visit(`${url}/v1/sign-in?page=${encodeURIComponent(page)}`)
      const back = await visitor.signInAt(begun.headers.get('location') ?? '', login)
      return visitor.visit(back.url)
    },
    close: async () => {
      await bed.close()
      await provider.close()
    },
  }
}

export async function storeTeams({ database }: ApiBed, teams: object): Promise<void> {
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from teams_documents)`
  await database
    .insertInto('teams_documents')
    .values({ number, body: JSON.stringify(teams), etag: 'any', created_at: 0 })
    .execute()
}

/** What a page of the console sends along. */
export const FROM_CONSOLE = { 'sec-fetch-site': 'same-origin', 'x-ironlaw-console': '1' }

// `ironlaw login` and `ironlaw logout`: device codes (RFC 8628), so that the browser may be on another machine.

import { setTimeout as pause } from 'node:timers/promises'
import { IronlawError } from '@ironlaw/contracts'
import {
  type ControlContext,
  type ControlContexts,
  isContextName,
  NO_CONTEXTS,
  withContext,
  withoutContext,
} from '@ironlaw/contracts/control-contexts'
import type { CommandAnswer } from '../answer.ts'
import { api, isAway } from '../api/api-client.ts'
import { authorityFromEnvironment, readAuthority } from '../context/authority.ts'
import { context } from '../context/context.ts'
import { readContextFile, writeContextFile } from '../context/context-file.ts'

export type LoginFlags = { readonly api?: string; readonly as?: string; readonly ca?: string }

/** RFC 8628, section 3.5. */
const SLOWER_S = 5

type Patience = {
  readonly tell: (line: string) => void
  readonly wait: (seconds: number) => Promise<unknown>
}

const TERMINAL: Patience = { tell: (line) => process.stderr.write(`${line}\n`), wait: (seconds) => pause(1000 * seconds) }

export async function logIn(flags: LoginFlags, { tell, wait }: Patience = TERMINAL): Promise<CommandAnswer> {
  const { name, ...to } = destination(flags)
  const client = api({ ...to, token: '' })
  const { device_code, user_code, verification_uri, verification_uri_complete, interval_s, expires_in_s } = await client.startDeviceSignIn(
    {},
  )
  tell(`Open ${verification_uri_complete ?? verification_uri} in any browser and confirm the code ${user_code}.`)
  let between_s = interval_s
  for (let waited_s = 0; waited_s < expires_in_s; waited_s += between_s) {
    await wait(between_s)
    const poll = await client.pollDeviceSignIn({ body: { device_code } }).catch((cause: unknown) => {
      // The code stays valid while the control plane or the provider is away.
      if (isAway(cause)) return { state: 'pending' as const, slow_down: true }
      throw cause
    })
    if (poll.state === 'signed-in') return storeSession(name, { ...to, token: poll.token, person: poll.name }, poll.expires_at)
    if (poll.slow_down) between_s += SLOWER_S
  }
  throw new IronlawError('IL_SIGN_IN', { reason: 'nobody confirmed the code in time', next: 'run "ironlaw login" again' })
}

/** A context that holds a token of its own is not overwritten. */
function destination(flags: LoginFlags): Pick<ControlContext, 'api' | 'ca'> & { readonly name: string } {
  const { api: address = context().api, as } = flags
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw usage(`--api ${address}: expected an address such as https://ironlaw.example.org`)
  if (as !== undefined && !isContextName(as)) throw usage(`--as ${as}: use at most 63 letters, digits, ".", "_" and "-"`)
  const { entries } = known()
  const ours = [...entries].find(([, entry]) => entry.api === address && entry.person !== undefined)?.[0]
  const host = new URL(address).host.replaceAll(/[^\w.-]/g, '-')
  const name = as ?? ours ?? (isFree(entries.get(host)) && isContextName(host) ? host : 'login')
  if (isFree(entries.get(name))) return { api: address, name, ...authorityOf(address, flags.ca) }
  throw usage(`the context "${name}" holds a token that "ironlaw login" did not make`, 'give another name with --as')
}

/** Kept with the session, so that it is named once. The authority of a control plane is that of all contexts with its address. */
function authorityOf(address: string, file: string | undefined): Pick<ControlContext, 'ca'> {
  if (file !== undefined) return { ca: readAuthority(file, 'login') }
  const given = authorityFromEnvironment()
  if (given.ca !== undefined) return given
  const ca = [...known().entries.values()].find((entry) => entry.api === address && entry.ca !== undefined)?.ca
  return ca === undefined ? {} : { ca }
}

const isFree = (entry: ControlContext | undefined): boolean => entry === undefined || entry.person !== undefined

function storeSession(name: string, entry: ControlContext, expires_at: number): CommandAnswer {
  writeContextFile({ ...withContext(known(), name, entry), current: name })
  const until = new Date(1000 * expires_at).toISOString()
  return {
    json: { name, api: entry.api, person: entry.person, expires_at },
    text: () => `signed in to ${entry.api} as ${entry.person} until ${until}; "${name}" is the current context`,
    notes: process.env['IRONLAW_TOKEN'] ? ['IRONLAW_TOKEN is set; it overrides the current context'] : [],
  }
}

export async function logOut(): Promise<CommandAnswer> {
  const to = context()
  if (to.name === undefined || to.person === undefined)
    throw new IronlawError(
      'IL_USAGE',
      { problem: 'the current context was not made by "ironlaw login"', command: 'logout' },
      { next: '"ironlaw context list" shows all of them; "ironlaw token revoke" ends a token' },
    )
  const { name } = to
  await api(to)
    .signOut({})
    .catch((cause: unknown) => {
      // It has ended already.
      if (!(cause instanceof IronlawError && cause.code === 'IL_UNAUTHENTICATED')) throw cause
    })
  writeContextFile(withoutContext(known(), name))
  return {
    json: { name, api: to.api },
    text: () => `signed out of ${to.api}; "ironlaw login --api ${to.api}" signs in again`,
  }
}

const known = (): ControlContexts => readContextFile() ?? NO_CONTEXTS

function usage(problem: string, next?: string): IronlawError {
  return new IronlawError('IL_USAGE', { problem, command: 'login' }, next === undefined ? {} : { next })
}

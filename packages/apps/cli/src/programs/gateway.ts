// `ironlaw gateway`: starts the gateway's program. With a control plane from the context file it needs no setup: a token is created when it
// starts and revoked when it ends.

import { hostname } from 'node:os'
import { IronlawError } from '@ironlaw/contracts'
import { GATEWAY_FLAGS } from '@ironlaw/contracts/programs'
import { api } from '../api/api-client.ts'
import { type Context, context } from '../context/context.ts'
import { readContextFile } from '../context/context-file.ts'
import { flagArguments, type ProgramFlags } from './program-flags.ts'
import { startProgram } from './start-program.ts'

export type GatewayFlags = ProgramFlags & { readonly control?: string; readonly id?: string; readonly tokenFile?: string }

const PROGRAM = '@ironlaw/gateway/main'

export async function runGateway(flags: GatewayFlags): Promise<number> {
  const argv = flagArguments(GATEWAY_FLAGS, flags)
  const hasToken = flags.tokenFile !== undefined || Boolean(process.env['IRONLAW_TOKEN'])
  const known = flags.control === undefined || hasToken ? undefined : contextOf(flags.control)
  if (!known) return startProgram(PROGRAM, argv)
  const name = flags.id ?? hostname()
  const { id, secret } = await api(known).createToken({ body: { name, role: 'gateway' } })
  const status = await startProgram(PROGRAM, argv, {
    environment: { IRONLAW_TOKEN: secret, ...(known.ca !== undefined && { IRONLAW_CA: known.ca }) },
  })
  await revokeOrSay(known, id)
  return status
}

/** The gateway has ended, whatever becomes of its token: a control plane that stopped first does not change the exit status. */
async function revokeOrSay(known: Context, id: string): Promise<void> {
  try {
    await api(known).revokeToken({ id })
  } catch (cause) {
    if (!(cause instanceof IronlawError)) throw cause
    process.stderr.write(`${cause.message}; the gateway's token is still valid: revoke it with "ironlaw token revoke ${id}"\n`)
  }
}

/** Undefined if the context file has another control plane, or none: the gateway then reports that it lacks a token. */
function contextOf(control: string): Context | undefined {
  if (!readContextFile()) return undefined
  const known = context()
  return URL.canParse(control) && new URL(known.api).origin === new URL(control).origin ? known : undefined
}

import { IronlawError } from '@ironlaw/contracts'
import { LEDGER } from '@ironlaw/contracts/ledger'
import { FLEET_LEDGER } from '@ironlaw/contracts/ledger-fleet'
import { parse } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { call } from './api-client.ts'
import { context } from './context.ts'
import { findRun } from './find-run.ts'
import { fleetText } from './ledger-fleet-text.ts'
import { ledgerText } from './ledger-text.ts'

export type LedgerFlags = { readonly fleet?: true; readonly since: string; readonly by: string }

export function ledgerAnswer(name: string | undefined, flags: LedgerFlags): Promise<CommandAnswer> {
  if ((name === undefined) !== (flags.fleet === true))
    throw new IronlawError('IL_USAGE', { problem: 'name a run, or pass --fleet for all of them', command: 'ledger' })
  return name === undefined ? fetchFleetLedger(flags) : fetchRunLedger(name)
}

async function fetchRunLedger(name: string): Promise<CommandAnswer> {
  const to = context()
  const { id } = await findRun(to, name)
  const ledger = await call(to, `/v1/runs/${id}/ledger`, LEDGER)
  return { json: ledger, text: () => ledgerText(ledger) }
}

async function fetchFleetLedger({ since, by }: LedgerFlags): Promise<CommandAnswer> {
  const span = parse(since, 's')
  if (!span.ok) throw new IronlawError('IL_QUANTITY', { name: '--since', reason: span.reason })
  const from = Math.max(0, Date.now() / 1000 - span.value)
  const ledger = await call(context(), `/v1/ledger?since=${from}&by=${encodeURIComponent(by)}`, FLEET_LEDGER)
  return { json: ledger, text: () => fleetText(ledger) }
}

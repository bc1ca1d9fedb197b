import { IronlawError } from '@ironlaw/contracts'
import { FLEET_GROUPS, type FleetGrouping } from '@ironlaw/contracts/ledger-fleet'
import { parse } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { findRun } from '../run/find-run.ts'
import { dataLedger, dataLedgerText } from './data-ledger.ts'
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
  const run = await findRun(to, name)
  const [ledger, data] = await Promise.all([api(to).getLedger({ id: run.id }), dataLedger(to, run)])
  return {
    json: { ...ledger, ...(data && { data }) },
    text: () => [ledgerText(ledger), ...(data ? [dataLedgerText(data)] : [])].join('\n\n'),
  }
}

async function fetchFleetLedger({ since, by }: LedgerFlags): Promise<CommandAnswer> {
  const span = parse(since, 's')
  if (!span.ok) throw new IronlawError('IL_QUANTITY', { name: '--since', reason: span.reason })
  if (!isGrouping(by))
    throw new IronlawError('IL_USAGE', { problem: `--by ${by}: expected one of ${FLEET_GROUPS.join(', ')}`, command: 'ledger' })
  const from = Math.max(0, Date.now() / 1000 - span.value)
  const ledger = await api(context()).getFleetLedger({ query: { since: from, by } })
  return { json: ledger, text: () => fleetText(ledger) }
}

const isGrouping = (by: string): by is FleetGrouping => FLEET_GROUPS.some((each) => each === by)

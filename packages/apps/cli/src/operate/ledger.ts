import { LEDGER } from '@ironlaw/contracts/ledger'
import type { Answer } from '../answer.ts'
import { call } from './api-client.ts'
import { context } from './context.ts'
import { findRun } from './find-run.ts'
import { ledgerText } from './ledger-text.ts'

export async function ledgerAnswer(name: string): Promise<Answer> {
  const to = context()
  const { id } = await findRun(to, name)
  const ledger = await call(to, `/v1/runs/${id}/ledger`, LEDGER)
  return { json: ledger, text: () => ledgerText(ledger) }
}

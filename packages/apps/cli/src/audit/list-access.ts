import { IronlawError } from '@ironlaw/contracts'
import type { AccessRecord } from '@ironlaw/contracts/audit-api'
import { parse } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { paint } from '../paint.ts'
import { showClock, showDuration } from '../run/run-text.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

export type AccessFlags = {
  readonly project?: string
  readonly who?: string
  readonly since: string
  readonly refused?: true
  readonly limit: string
}

const PAGE = 1000

export async function listAccess({ project, who, since, refused, limit }: AccessFlags): Promise<CommandAnswer> {
  const span = parse(since, 's')
  if (!span.ok) throw new IronlawError('IL_QUANTITY', { name: '--since', reason: span.reason })
  const most = wholeNumber('--limit', limit)
  const filter = { since: Math.max(0, Date.now() / 1000 - span.value), ...(refused && { refused: 'true' as const }) }
  const items: AccessRecord[] = []
  for (let cursor: string | null = ''; cursor !== null && items.length < most;) {
    const query = { ...filter, project, who, limit: Math.min(PAGE, most - items.length), cursor }
    const page: { items: AccessRecord[]; next: string | null } = await api(context()).listAccess({ query })
    items.push(...page.items)
    cursor = page.next
  }
  items.reverse()
  return { json: { items }, text: () => (items.length === 0 ? `nothing was changed or refused in the last ${since}` : recordsTable(items)) }
}

const RESULT = { done: 'green', refused: 'red', failed: 'yellow', 'left-out': 'yellow' } as const

function recordsTable(records: readonly AccessRecord[]): string {
  const rows = records.map(({ at, who, from = '', operation = '', project = '', object = '', result, status, count }) => [
    showClock(at),
    who,
    from,
    result === 'left-out' ? `${count} more refusals` : operation,
    object,
    project,
    `${paint(RESULT[result], result)}${status === undefined || result === 'done' ? '' : ` ${status}`}`,
  ])
  return table(['TIME', 'WHO', 'FROM', 'OPERATION', 'OBJECT', 'PROJECT', 'RESULT'], rows)
}

export async function listSinks(): Promise<CommandAnswer> {
  const { items } = await api(context()).listAuditSinks({})
  const rows = items.map(({ target, sent, waiting, dropped, lag_s, problem = '' }) => [
    target,
    String(sent),
    String(waiting),
    String(dropped),
    waiting === 0 ? '' : showDuration(lag_s),
    problem,
  ])
  const text = (): string =>
    items.length === 0
      ? 'the audit trail is only in the database; "ironlaw up --audit-to" also sends it elsewhere'
      : table(['TARGET', 'SENT', 'WAITING', 'DROPPED', 'BEHIND', 'PROBLEM'], rows, [1, 2, 3, 4])
  return { json: { items }, text }
}

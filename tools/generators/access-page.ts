// Who may call what, by kind of caller: the table that a test asks a control plane for, cell by cell.

import { ACCESS_CALLERS, type AccessOutcome, accessOutcome } from '@ironlaw/control/access-table'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { type GeneratedFile, markdownTable } from './generated.ts'

const INTRO = `Each row is an operation of the [HTTP API](api.md), each column a kind of caller. What they ask for belongs to the project alpha. A test asks a
control plane for every cell.

- **yes**: the operation is carried out.
- **own**: a list with what belongs to the caller's projects, and nothing of alpha.
- **404**: the same answer, byte for byte, as for something that does not exist.
- **403**: the role is too low.
- **401**: no valid token. Tokens that are absent, expired or revoked are answered alike.`

const CELLS: Readonly<Record<AccessOutcome, string>> = {
  unauthenticated: '401',
  forbidden: '403',
  absent: '404',
  filtered: 'own',
  allowed: 'yes',
}

export function accessPage(): readonly GeneratedFile[] {
  const [none] = ACCESS_CALLERS
  const callers = ACCESS_CALLERS.filter(({ is }) => is !== 'invalid')
  const columns = none ? [none, ...callers] : callers
  const rows = Object.values(OPERATIONS).map((operation) => [
    `\`${operation.id}\``,
    ...columns.map((caller) => CELLS[accessOutcome(operation, caller)]),
  ])
  const header = ['operation', ...columns.map(({ name }) => (name === 'no token' ? 'no valid token' : name))]
  return [{ path: 'docs/reference/access.md', content: `# Who may call what\n\n${INTRO}\n\n${markdownTable(header, rows)}\n` }]
}

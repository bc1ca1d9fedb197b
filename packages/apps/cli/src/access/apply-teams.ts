// `ironlaw apply` for a document of kind Teams. The document is replaced as a whole, so its changes are shown first, and the control plane
// refuses it if the stored document has changed in the meantime.

import { parseTeamsSpec } from '@ironlaw/contracts/teams-spec'
import { teamsChange, teamsChangeText } from '@ironlaw/contracts/teams-change'
import { confirm } from '../confirm.ts'
import { readDocument } from '../input-file.ts'
import { api, find } from '../api/api-client.ts'
import type { ApplyFlags } from '../run/apply-train.ts'
import { context } from '../context/context.ts'

export async function applyTeams(file: string, flags: ApplyFlags): Promise<void> {
  const to = context()
  const { teams, basedOn } = parseTeamsSpec(readDocument(file), file)
  const current = await find(api(to).getTeams({}))
  const change = teamsChange(current?.value, teams)
  if (!flags.json) process.stdout.write(`${teamsChangeText(change)}\n`)
  if (flags.dryRun) return void (flags.json && process.stdout.write(`${JSON.stringify({ changes: change })}\n`))
  if (!flags.yes && !(await confirm({ question: 'apply these teams?', command: 'apply' }))) return
  const seen = basedOn ?? current?.header
  const stored = await api(to).replaceTeams({ body: teams, ...(seen !== undefined && { headers: { 'if-match': seen } }) })
  const told = `document ${stored.number}, based_on ${stored.etag} for the next change`
  process.stdout.write(flags.json ? `${JSON.stringify(stored)}\n` : `${told}\n`)
}

// `ironlaw get teams`: the teams document in force, as a file to change and apply again.

import { stringify } from 'yaml'
import type { CommandAnswer } from '../answer.ts'
import { api, find } from '../api/api-client.ts'
import { context } from '../context/context.ts'

export async function teamsAnswer(): Promise<CommandAnswer> {
  const found = await find(api(context()).getTeams({}))
  if (!found) return { json: null, text: () => 'no teams: "ironlaw apply teams.yaml" stores the first document' }
  const { value, header: etag } = found
  const document = { apiVersion: 'ironlaw/v1', kind: 'Teams', ...(etag !== undefined && { based_on: etag.replaceAll('"', '') }), ...value }
  return { json: document, text: () => stringify(document).trimEnd() }
}

import type { Grant } from '@ironlaw/contracts'
import { grantsOf, STORED_TEAMS } from '@ironlaw/contracts/teams'
import { type Database, teamsDocument } from '@ironlaw/store'

/** What the teams in force give to the people of these groups. */
export async function grantsOfGroups(database: Database, groups: readonly string[]): Promise<readonly Grant[]> {
  const found = await teamsDocument(database)
  return found ? grantsOf(STORED_TEAMS.parse(found.body), groups) : []
}

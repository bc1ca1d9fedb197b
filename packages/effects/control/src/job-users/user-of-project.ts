// The user that the jobs of a project run as: its team's, where the teams document says so.

import { STORED_TEAMS, teamOf } from '@ironlaw/contracts/teams'
import type { JobUser } from '@ironlaw/executors'
import { type Database, teamsDocument } from '@ironlaw/store'

export type UserOfProject = (project: string) => Promise<JobUser | { readonly refused: string }>

export const hasTeams = async (database: Database): Promise<boolean> => (await teamsDocument(database)) !== undefined

export const userOfProject =
  (database: Database): UserOfProject =>
  async (project) => {
    const found = await teamsDocument(database)
    if (found === undefined)
      return { refused: 'no teams document names the user of its jobs; "ironlaw apply -f teams.yaml" sets one, with a user for each team' }
    const team = teamOf(STORED_TEAMS.parse(found.body), project)
    if (team === undefined)
      return { refused: `project "${project}" belongs to no team; add it to the projects of a team in the teams document` }
    const { name, user, account, qos } = team
    if (user === undefined)
      return { refused: `team "${name}" has no user that its jobs could run as; add "user" to it in the teams document` }
    return { name: user, ...(account !== undefined && { account }), ...(qos !== undefined && { qos }) }
  }

// The teams document: which projects there are, whose they are, and which groups of people may do what in them. It is replaced as a whole, so
// a writer says which one they have seen, as with the access document.

import { IronlawError } from '@ironlaw/contracts'
import { STORED_TEAMS, teamOf, type Teams } from '@ironlaw/contracts/teams'
import { type TeamsChange, teamsChange, teamsChangeText } from '@ironlaw/contracts/teams-change'
import { type Database, replaceTeams, TEAMS_STREAM, teamsDocument } from '@ironlaw/store'
import { type Edit, type SeenDocument, seenTag, unseenError } from './seen-document.ts'

const DOCUMENT: SeenDocument = {
  what: 'the teams document',
  stream: TEAMS_STREAM,
  kind: 'teams-changed',
  changeText: (body) => teamsChangeText(changeOf(body)),
}

export async function readTeams(database: Database): Promise<{ readonly etag: string; readonly teams: Teams }> {
  const found = await teamsDocument(database)
  if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'teams document', id: 'teams' })
  return { etag: found.etag, teams: STORED_TEAMS.parse(found.body) }
}

export async function writeTeams(
  database: Database,
  teams: Teams,
  edit: Edit,
): Promise<{ readonly number: number; readonly etag: string }> {
  const { actor, at } = edit
  const seen = seenTag(edit)
  const { answer, etag, number } = await replaceTeams(database, {
    teams,
    seen,
    event: (before) => ({
      kind: 'teams-changed',
      actor,
      at,
      body: { ...teamsChange(before && STORED_TEAMS.parse(before), teams) },
    }),
  })
  if (answer !== 'stored') throw await unseenError(database, DOCUMENT, { answer, etag, seen })
  return { number, etag }
}

const changeOf = (body: object): TeamsChange => ({ ...body })

/** The name of the team whose project it is; undefined as long as no teams are described. A project of no team is refused. */
export async function owningTeam(database: Database, project: string): Promise<string | undefined> {
  const found = await teamsDocument(database)
  if (!found) return undefined
  const teams = STORED_TEAMS.parse(found.body)
  const team = teamOf(teams, project)
  if (team) return team.name
  throw new IronlawError(
    'IL_INVALID',
    { path: 'body.project', problem: `no team has a project "${project}"` },
    {
      next: 'name a project of your team, or have an administrator add it: "ironlaw get teams" prints the document, "ironlaw apply" stores it',
    },
  )
}

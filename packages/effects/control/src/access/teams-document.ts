// The teams document: which projects there are, whose they are, and which groups of people may do what in them. It is replaced as a whole, so
// a writer says which one they have seen, as with the access document.

import { IronlawError } from '@ironlaw/contracts'
import { STORED_TEAMS, teamOf, type Teams } from '@ironlaw/contracts/teams'
import { type TeamsChange, teamsChange, teamsChangeText } from '@ironlaw/contracts/teams-change'
import { type Database, newestEvents, replaceTeams, TEAMS_STREAM, teamsDocument } from '@ironlaw/store'
import * as z from 'zod'

/** How many changes are searched for the one that a writer has seen. */
const CHANGES_SEARCHED = 100
/** How many changes are listed to a writer who has seen an older document. */
const CHANGES_LISTED = 5

export async function readTeams(database: Database): Promise<{ readonly etag: string; readonly teams: Teams }> {
  const found = await teamsDocument(database)
  if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'teams document', id: 'teams' })
  return { etag: found.etag, teams: STORED_TEAMS.parse(found.body) }
}

type Edit = { readonly ifMatch: string | undefined; readonly actor: string; readonly at: number }

export async function writeTeams(
  database: Database,
  teams: Teams,
  { ifMatch, actor, at }: Edit,
): Promise<{ readonly number: number; readonly etag: string }> {
  const what = 'the teams document'
  const seen = ifMatch === undefined ? undefined : ifMatch.replace(/^(?:W\/)?"(.*)"$/, '$1')
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
  if (answer === 'unseen') throw new IronlawError('IL_UNSEEN', { what, etag })
  if (answer === 'stale') throw new IronlawError('IL_STALE', { what, changes: await changesSince(database, seen) })
  return { number, etag }
}

const CHANGED = z.looseObject({ etag: z.string() })

async function changesSince(database: Database, etag: string | undefined): Promise<string> {
  const edits = (await newestEvents(database, TEAMS_STREAM, CHANGES_SEARCHED)).toReversed()
  const known = edits.findIndex(({ body }) => CHANGED.parse(body).etag === etag)
  const since = known === -1 ? edits : edits.slice(0, known)
  const told = since.slice(0, CHANGES_LISTED).map(({ actor, body }) => `${actor}: ${teamsChangeText(changeOf(body))}`)
  return [...told, ...(since.length > CHANGES_LISTED ? [`and ${since.length - CHANGES_LISTED} changes before`] : [])].join('; ')
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

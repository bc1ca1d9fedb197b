// Approvals of a version: what the teams document asks of its project, who has approved, and whom that counts for by now.

import { EVERY_PROJECT, type Grant, hasRole, IronlawError, type Principal, type ProjectRole, roleIn } from '@ironlaw/contracts'
import type { Approvals } from '@ironlaw/contracts/model-registry'
import { approvalsNeeded, grantsOf, groupsWithRole, STORED_TEAMS, type Teams } from '@ironlaw/contracts/teams'
import { DISCOUNT_TEXT, judgeApprovals, lowerRole, personOf } from '@ironlaw/policies/release'
import {
  type Artifact,
  type Database,
  groupsOfPeople,
  runOf,
  standingApprovals,
  teamsDocument,
  type TokenOwner,
  tokenOwners,
} from '@ironlaw/store'
import { personId } from '../sign-in/sessions.ts'

type Release = { readonly at: number; readonly releaser?: string }

/** Undefined where a release of the project needs none. */
export async function modelApprovals(database: Database, model: Artifact, { at, releaser }: Release): Promise<Approvals | undefined> {
  const { project, id } = model
  const found = await teamsDocument(database)
  if (!found) return undefined
  const teams = STORED_TEAMS.parse(found.body)
  const needed = approvalsNeeded(teams, project)
  if (needed.length === 0) return undefined
  const [rows, makers] = await Promise.all([standingApprovals(database, { project, artifact_id: id }), peopleWhoMade(database, model)])
  const known = await knownTokens(database, [...rows.map(({ by }) => by), ...makers, ...(releaser === undefined ? [] : [releaser])], at)
  const holders = holdersOf(known)
  const roles = await currentRoles(database, { ids: rows.map(({ by }) => by), known, teams, project, at })
  const judged = judgeApprovals({
    needed,
    approvals: rows.map(({ number, by, role }) => ({
      number,
      by,
      person: personOf(by, holders),
      role: roles.has(by) ? lowerRole(role ?? undefined, roles.get(by)) : (role ?? undefined),
    })),
    makers: new Set(makers.map((each) => personOf(each, holders))),
    ...(releaser !== undefined && { releaser: personOf(releaser, holders) }),
  })
  return { ...judged, missing: judged.missing.map((each) => ({ ...each, groups: [...groupsWithRole(teams, project, each.role)] })) }
}

/** Who added the version, and who started the run that made it. */
async function peopleWhoMade(database: Database, { created_by, made_by }: Artifact): Promise<readonly string[]> {
  const run = made_by === null ? undefined : await runOf(database, made_by)
  return [created_by, ...(run ? [run.created_by] : [])]
}

type KnownTokens = ReadonlyMap<string, TokenOwner>

/** Tokens of these ids, of those who made them, and so on. */
async function knownTokens(database: Database, ids: readonly string[], at: number): Promise<KnownTokens> {
  const known = new Map<string, TokenOwner>()
  let unknown: readonly string[] = [...new Set(ids)]
  while (unknown.length > 0) {
    const owners = await tokenOwners(database, unknown, at)
    for (const owner of owners) known.set(owner.id, owner)
    unknown = [...new Set(owners.flatMap(({ issued_by }) => issued_by ?? []))].filter((id) => !known.has(id))
  }
  return known
}

/**
 * Whom a token counts as. One that a token with the role admin everywhere made is a person of its own: that token may change what is needed anyway, and where
 * nobody signs in it makes the tokens of everybody.
 */
const holdersOf = (known: KnownTokens): ReadonlyMap<string, string> =>
  new Map(
    [...known.values()].flatMap(({ id, issued_by }) => {
      if (issued_by === null) return []
      const issuer = known.get(issued_by)
      const isPerson = issuer ? !isSiteAdmin(issuer) : issued_by.startsWith(personId({ subject: '' }))
      return isPerson ? [[id, issued_by] as const] : []
    }),
  )

const isSiteAdmin = ({ id, grants }: TokenOwner): boolean => hasRole(person(id, grants), 'admin', EVERY_PROJECT)

const person = (id: string, grants: readonly Grant[]): Principal => ({ kind: 'person', id, name: id, grants })

type RolesAsked = {
  readonly ids: readonly string[]
  readonly known: KnownTokens
  readonly teams: Teams
  readonly project: string
  readonly at: number
}

/** Of each whose role is known now; undefined for who has none. Nobody knows the groups of a person who is not signed in. */
async function currentRoles(
  database: Database,
  { ids, known, teams, project, at }: RolesAsked,
): Promise<ReadonlyMap<string, ProjectRole | undefined>> {
  const signedIn = personId({ subject: '' })
  const subjects = ids.filter((id) => id.startsWith(signedIn)).map((id) => id.slice(signedIn.length))
  const groups = await groupsOfPeople(database, subjects, at)
  return new Map([
    ...ids.flatMap((id) => {
      const owner = known.get(id)
      return owner ? [[id, owner.isValid ? roleIn(person(id, owner.grants), project) : undefined] as const] : []
    }),
    ...[...groups].map(([subject, own]) => {
      const id = personId({ subject })
      return [id, roleIn(person(id, grantsOf(teams, own)), project)] as const
    }),
  ])
}

/** Refuses a release that somebody has yet to approve. */
export async function requireApprovals(
  database: Database,
  model: Artifact,
  release: Required<Release> & { readonly name: string },
): Promise<void> {
  const approvals = await modelApprovals(database, model, release)
  if (!approvals || approvals.missing.length === 0) return
  const { given, discounted, missing } = approvals
  const needs = missing.map(({ role, people }) => `${people} more of role ${role}`).join(' and ')
  const groups = [...new Set(missing.flatMap((each) => each.groups))]
  const lines = [
    `have them approve: "ironlaw decide ${release.name} approve --why REASON"`,
    ...(groups.length === 0 ? [] : [`groups with the role: ${groups.join(', ')}`]),
    ...given.map(({ by, role, number }) => `approved: ${by}, ${role} (decision ${number})`),
    ...discounted.map(({ by, because, number }) => `does not count: ${by}, who ${DISCOUNT_TEXT[because]} (decision ${number})`),
  ]
  throw new IronlawError('IL_CONFLICT', {
    problem: `${release.name} cannot be released: approvals of ${needs} are missing`,
    next: lines.join('\n    '),
  })
}

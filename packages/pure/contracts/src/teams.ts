// Who belongs to which team, and which projects are theirs. People are members through groups of the identity provider. A separate entry
// point, as everything that loads zod.

import * as z from 'zod'
import { EVERY_PROJECT, type Grant, includesRole, PROJECT_ROLES, type ProjectRole } from './grants.ts'

const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and hyphens, at most 63')
const group = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, 'one line, at most 200 characters')
const unixName = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'a name as Unix users have it, at most 32')
const slurmName = z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'letters, digits, dots, hyphens and underscores, at most 63')

const MEMBERS = z.strictObject({
  group: group.describe('Group of the identity provider'),
  role: z.enum(PROJECT_ROLES).describe('Role of its people in every project of the team'),
})

const TEAM = z.strictObject({
  name: id.describe('Name of the team'),
  projects: z.array(id).min(1).describe('Projects of the team; a project belongs to one team'),
  user: unixName.exactOptional().describe('Unix user that its jobs run as'),
  account: slurmName.exactOptional().describe('Slurm account of its jobs'),
  qos: slurmName.exactOptional().describe('Slurm quality of service of its jobs'),
  members: z.array(MEMBERS).default([]).describe('Groups whose people belong to the team'),
})

/** Roles that may decide about versions. */
const APPROVER_ROLES = ['operator', 'admin'] as const satisfies readonly ProjectRole[]

const APPROVAL = z.strictObject({
  project: id.describe('Project whose releases need it'),
  role: z.enum(APPROVER_ROLES).describe('Role that these people have in the project, or a higher one'),
  people: z.int().min(1).max(20).describe('How many must approve; each counts once'),
})

export const TEAMS_FIELDS = {
  administrators: z.array(group).default([]).describe('Groups of the identity provider with the role admin everywhere'),
  teams: z.array(TEAM).describe('All teams of the site'),
  approvals: z.array(APPROVAL).exactOptional().describe('Who must approve a version of a model before it is released or waived'),
}

type TeamNames = {
  readonly teams: readonly { readonly name: string; readonly projects: readonly string[] }[]
  readonly approvals?: readonly { readonly project: string; readonly role: ProjectRole }[]
}

/** Every name once: a project of two teams would have two owners. */
export function checkTeams({ teams, approvals = [] }: TeamNames, context: z.RefinementCtx): void {
  const names = new Set<string>()
  const owners = new Map<string, string>()
  for (const [index, { name, projects }] of teams.entries()) {
    if (names.has(name)) context.addIssue({ code: 'custom', path: ['teams', index, 'name'], message: `there are two teams "${name}"` })
    names.add(name)
    for (const [place, project] of projects.entries()) {
      const owner = owners.get(project)
      const message = `project "${project}" belongs to team "${owner}" already`
      if (owner !== undefined) context.addIssue({ code: 'custom', path: ['teams', index, 'projects', place], message })
      owners.set(project, name)
    }
  }
  for (const [index, { project, role }] of approvals.entries()) {
    const issue = (field: string, message: string) => context.addIssue({ code: 'custom', path: ['approvals', index, field], message })
    if (!owners.has(project)) issue('project', `no team has a project "${project}"`)
    if (approvals.findIndex((each) => each.project === project && each.role === role) < index)
      issue('role', `approvals of the role ${role} in project "${project}" are there twice`)
  }
}

export const TEAMS = z.strictObject(TEAMS_FIELDS).superRefine(checkTeams).meta({ id: 'Teams' })

export const TEAMS_STORED = z.object({ number: z.int().describe('Counts the documents'), etag: z.string() }).meta({ id: 'TeamsStored' })

/** As it was stored: a newer control plane may have added to it. */
export const STORED_TEAMS = z.object(TEAMS_FIELDS)

export type Teams = z.infer<typeof STORED_TEAMS>
export type Team = Teams['teams'][number]
export type ApprovalNeed = Pick<z.infer<typeof APPROVAL>, 'role' | 'people'>

/** What the groups of a person give them. */
export function grantsOf({ administrators, teams }: Teams, groups: readonly string[]): Grant[] {
  if (administrators.some((each) => groups.includes(each))) return [{ role: 'admin', project: EVERY_PROJECT }]
  return teams.flatMap(({ projects, members }) => {
    const roles = PROJECT_ROLES.filter((role) => members.some((each) => each.role === role && groups.includes(each.group)))
    const highest = roles.at(-1)
    return highest === undefined ? [] : projects.map((project) => ({ role: highest, project }))
  })
}

export const teamOf = ({ teams }: Teams, project: string): Team | undefined => teams.find(({ projects }) => projects.includes(project))

/** Who must approve a version of this project. */
export const approvalsNeeded = ({ approvals = [] }: Teams, project: string): readonly ApprovalNeed[] =>
  approvals.filter((each) => each.project === project).map(({ role, people }) => ({ role, people }))

/** Groups whose people have a role in a project, or a higher one. */
export const groupsWithRole = (teams: Teams, project: string, role: ProjectRole): readonly string[] => [
  ...new Set([
    ...(teamOf(teams, project)?.members ?? []).filter((each) => includesRole(each.role, role)).map(({ group: of }) => of),
    ...teams.administrators,
  ]),
]

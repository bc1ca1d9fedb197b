// What a new teams document changes, for the audit trail and for a user who was about to overwrite it.

import type { Teams } from './teams.ts'

type NameChanges = { readonly added?: readonly string[]; readonly removed?: readonly string[]; readonly changed?: readonly string[] }

export type TeamsChange = {
  readonly teams?: NameChanges
  readonly projects?: NameChanges
  readonly administrators?: NameChanges
  readonly approvals?: NameChanges
}

export function teamsChange(before: Teams | undefined, after: Teams): TeamsChange {
  const teams = differences(byName(before), byName(after))
  const projects = differences(byProject(before), byProject(after))
  const administrators = differences(administratorsOf(before), administratorsOf(after))
  const approvals = differences(byApproval(before), byApproval(after))
  return {
    ...(teams && { teams }),
    ...(projects && { projects }),
    ...(administrators && { administrators }),
    ...(approvals && { approvals }),
  }
}

type Named = ReadonlyMap<string, unknown>

const byName = (document: Teams | undefined): Named => new Map(document?.teams.map((team) => [team.name, team]))

/** A project that moves to another team has changed. */
const byProject = (document: Teams | undefined): Named =>
  new Map(document?.teams.flatMap(({ name, projects }) => projects.map((project) => [project, name])))

const administratorsOf = (document: Teams | undefined): Named => new Map(document?.administrators.map((group) => [group, true]))

/** As a reader of the trail asks: how many people were needed, and are. */
const byApproval = (document: Teams | undefined): Named =>
  new Map(document?.approvals?.map(({ project, role, people }) => [`${project} (${people} of role ${role})`, true]))

function differences(before: Named, after: Named): NameChanges | undefined {
  const added = [...after.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !after.has(name))
  const changed = [...after.keys()].filter(
    (name) => before.has(name) && JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)),
  )
  if (added.length + removed.length + changed.length === 0) return undefined
  return { ...(added.length > 0 && { added }), ...(removed.length > 0 && { removed }), ...(changed.length > 0 && { changed }) }
}

/** One sentence: what a change did. */
export function teamsChangeText({ teams, projects, administrators, approvals }: TeamsChange): string {
  const list = (what: string, { added, removed, changed }: NameChanges = {}): readonly string[] => [
    ...(added ? [`${what} added: ${added.join(' ')}`] : []),
    ...(removed ? [`${what} removed: ${removed.join(' ')}`] : []),
    ...(changed ? [`${what} changed: ${changed.join(' ')}`] : []),
  ]
  const parts = [
    ...list('teams', teams),
    ...list('projects', projects),
    ...list('administrators', administrators),
    ...list('approvals', approvals),
  ]
  return parts.length === 0 ? 'nothing changed' : parts.join(', ')
}

import { expect, test } from 'vitest'
import { parseTeamsSpec } from './teams-spec.ts'
import { teamsChange, teamsChangeText } from './teams-change.ts'
import { approvalsNeeded, grantsOf, groupsWithRole, STORED_TEAMS, teamOf } from './teams.ts'

const search = {
  name: 'search',
  projects: ['search', 'ranking'],
  user: 'search',
  members: [
    { group: 'search-eng', role: 'member' },
    { group: 'search-leads', role: 'operator' },
  ],
}
const spec = (over: object = {}): object => ({
  apiVersion: 'ironlaw/v1',
  kind: 'Teams',
  administrators: ['platform'],
  teams: [search, { name: 'vision', projects: ['vision'], members: [{ group: 'search-eng', role: 'viewer' }] }],
  ...over,
})

test('groups give a role in every project of a team, the highest of several', () => {
  const { teams } = parseTeamsSpec(spec(), 'teams.yaml')
  expect(grantsOf(teams, ['search-eng', 'search-leads', 'others'])).toEqual([
    { role: 'operator', project: 'search' },
    { role: 'operator', project: 'ranking' },
    { role: 'viewer', project: 'vision' },
  ])
  expect(grantsOf(teams, ['platform', 'search-eng'])).toEqual([{ role: 'admin', project: '*' }])
  expect(grantsOf(teams, [])).toEqual([])
})

test('a project has one team', () => {
  const { teams, basedOn } = parseTeamsSpec(spec({ based_on: 'tag' }), 'teams.yaml')
  expect(basedOn).toBe('tag')
  expect(teamOf(teams, 'ranking')).toMatchObject({ name: 'search', user: 'search' })
  expect(teamOf(teams, 'other')).toBeUndefined()
})

test('a project says who must approve; a change of that is told, and an older control plane reads the rest', () => {
  const approvals = [{ project: 'search', role: 'operator', people: 2 }]
  const { teams } = parseTeamsSpec(spec({ approvals }), 'teams.yaml')
  expect(approvalsNeeded(teams, 'search')).toEqual([{ role: 'operator', people: 2 }])
  expect(approvalsNeeded(teams, 'ranking')).toEqual([])
  expect(groupsWithRole(teams, 'search', 'operator')).toEqual(['search-leads', 'platform'])
  const lower = parseTeamsSpec(spec({ approvals: [{ ...approvals[0], people: 1 }] }), 'teams.yaml').teams
  expect(teamsChangeText(teamsChange(teams, lower))).toBe(
    'approvals added: search (1 of role operator), approvals removed: search (2 of role operator)',
  )
  expect(STORED_TEAMS.omit({ approvals: true }).parse(teams)).toEqual(parseTeamsSpec(spec(), 'teams.yaml').teams)
})

test('approvals of an unknown project, of a role twice, of nobody or of viewers are refused with their place', () => {
  const bad =
    (...approvals: object[]) =>
    () =>
      parseTeamsSpec(spec({ approvals }), 'teams.yaml')
  const fine = { project: 'search', role: 'operator', people: 2 }
  expect(bad({ ...fine, project: 'other' })).toThrow('approvals.0.project: no team has a project "other"')
  expect(bad(fine, { ...fine, people: 1 })).toThrow('approvals.1.role: approvals of the role operator in project "search" are there twice')
  expect(bad({ ...fine, people: 0 })).toThrow('approvals.0.people')
  expect(bad({ ...fine, role: 'viewer' })).toThrow('approvals.0.role')
})

test('names that are there twice, and fields that are none, are named', () => {
  const bad = (over: object) => () => parseTeamsSpec(spec(over), 'teams.yaml')
  expect(bad({ teams: [search, { name: 'vision', projects: ['ranking'] }] })).toThrow(
    'teams.yaml: teams.1.projects.0: project "ranking" belongs to team "search" already',
  )
  expect(bad({ teams: [search, { ...search, projects: ['more'] }] })).toThrow('teams.1.name: there are two teams "search"')
  expect(bad({ teams: [{ ...search, user: 'Search User' }] })).toThrow('teams.0.user')
  expect(bad({ team: [] })).toThrow('team: unknown field; did you mean teams?')
})

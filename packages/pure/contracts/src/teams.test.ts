import { expect, test } from 'vitest'
import { parseTeamsSpec } from './teams-spec.ts'
import { grantsOf, teamOf } from './teams.ts'

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

test('names that are there twice, and fields that are none, are named', () => {
  const bad = (over: object) => () => parseTeamsSpec(spec(over), 'teams.yaml')
  expect(bad({ teams: [search, { name: 'vision', projects: ['ranking'] }] })).toThrow(
    'teams.yaml: teams.1.projects.0: project "ranking" belongs to team "search" already',
  )
  expect(bad({ teams: [search, { ...search, projects: ['more'] }] })).toThrow('teams.1.name: there are two teams "search"')
  expect(bad({ teams: [{ ...search, user: 'Search User' }] })).toThrow('teams.0.user')
  expect(bad({ team: [] })).toThrow('team: unknown field; did you mean teams?')
})

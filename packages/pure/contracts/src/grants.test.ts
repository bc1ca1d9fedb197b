import { expect, test } from 'vitest'
import { type Grant, grantsText, hasRole, isAllowed, type Principal, projectsOf } from './grants.ts'

const person = (...grants: readonly Grant[]): Principal => ({ kind: 'person', id: 'ann-1', name: 'ann', grants })
const gateway: Principal = { kind: 'gateway', id: 'edge-1', name: 'edge' }
const run: Principal = { kind: 'run', run: 'tiny-1', project: 'search' }

test('a role counts in its project, and everywhere with a grant on *', () => {
  const ann = person({ role: 'operator', project: 'search' }, { role: 'viewer', project: 'vision' })
  expect(projectsOf(ann, 'viewer')).toEqual(['search', 'vision'])
  expect(projectsOf(ann, 'member')).toEqual(['search'])
  expect([hasRole(ann, 'operator', 'search'), hasRole(ann, 'member', 'vision'), hasRole(ann, 'viewer', 'other')]).toEqual([
    true,
    false,
    false,
  ])
  const reader = person({ role: 'viewer', project: '*' }, { role: 'admin', project: 'search' })
  expect([projectsOf(reader, 'viewer'), projectsOf(reader, 'member')]).toEqual(['*', ['search']])
  expect([hasRole(reader, 'viewer', 'other'), hasRole(reader, 'admin', 'search'), hasRole(reader, 'admin', '*')]).toEqual([
    true,
    true,
    false,
  ])
})

test('tokens of runs and gateways have no project of their own', () => {
  for (const principal of [gateway, run]) expect(projectsOf(principal, 'viewer')).toEqual([])
  expect([isAllowed(run, 'run'), isAllowed(gateway, 'run'), isAllowed(person({ role: 'admin', project: '*' }), 'run')]).toEqual([
    true,
    false,
    false,
  ])
  expect([isAllowed(gateway, 'gateway'), isAllowed(run, 'gateway')]).toEqual([true, false])
})

test('what belongs to the site needs a grant on *', () => {
  const drain = { role: 'operator', scope: 'site' } as const
  expect(isAllowed(person({ role: 'admin', project: 'search' }), drain)).toBe(false)
  expect(isAllowed(person({ role: 'operator', project: '*' }), drain)).toBe(true)
  expect(isAllowed(person({ role: 'viewer', project: 'search' }), { role: 'viewer', scope: 'any' })).toBe(true)
  expect(isAllowed(person({ role: 'viewer', project: 'search' }), { role: 'member', scope: 'project' })).toBe(false)
  expect(isAllowed(person(), { role: 'viewer', scope: 'any' })).toBe(false)
  expect([
    isAllowed(person({ role: 'operator', project: 'search' }), 'gateway'),
    isAllowed(person({ role: 'operator', project: '*' }), 'gateway'),
  ]).toEqual([false, true])
})

test('grants as text', () => {
  expect(grantsText([{ role: 'admin', project: '*' }])).toBe('admin everywhere')
  expect(
    grantsText([
      { role: 'member', project: 'search' },
      { role: 'admin', project: 'vision' },
      { role: 'member', project: 'ranking' },
    ]),
  ).toBe('admin in vision; member in search, ranking')
  expect(grantsText([])).toBe('no role')
})

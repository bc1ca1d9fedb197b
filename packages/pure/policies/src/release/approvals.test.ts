import { PROJECT_ROLES } from '@ironlaw/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeApprovals, personOf, type StandingApproval } from './approvals.ts'

const NOBODY: ReadonlySet<string> = new Set()
const approval = (number: number, person: string, role: StandingApproval['role'] = 'operator'): StandingApproval => ({
  number,
  by: `${person}-token`,
  person,
  role,
})
const TWO = [{ role: 'operator', people: 2 }] as const

test.each([
  ['nobody has approved', TWO, [], undefined, [{ role: 'operator', people: 2 }]],
  ['two have', TWO, [approval(1, 'ana'), approval(2, 'ben')], 'cleo', []],
  ['an admin is an operator too', TWO, [approval(1, 'ana', 'admin'), approval(2, 'ben')], 'cleo', []],
  ['the same person twice is one', TWO, [approval(1, 'ana'), approval(2, 'ana')], 'cleo', [{ role: 'operator', people: 1 }]],
  ['who releases it does not count', TWO, [approval(1, 'ana'), approval(2, 'ben')], 'ben', [{ role: 'operator', people: 1 }]],
  ['who made it does not count', TWO, [approval(1, 'ana'), approval(2, 'maker')], 'cleo', [{ role: 'operator', people: 1 }]],
  ['a role that is gone does not count', TWO, [{ ...approval(1, 'ana'), role: undefined }], 'cleo', [{ role: 'operator', people: 2 }]],
  ['a member is no operator', TWO, [approval(1, 'ana', 'member'), approval(2, 'ben')], 'cleo', [{ role: 'operator', people: 1 }]],
  [
    'everybody counts for one need',
    [...TWO, { role: 'admin', people: 1 }],
    [approval(1, 'ana', 'admin'), approval(2, 'ben')],
    'cleo',
    [{ role: 'operator', people: 1 }],
  ],
] as const)('%s', (_, needed, approvals, releaser, missing) => {
  const judged = judgeApprovals({ needed, approvals, makers: new Set(['maker']), ...(releaser !== undefined && { releaser }) })
  expect(judged.missing).toEqual(missing)
  expect(judged.given.length + judged.discounted.length).toBe(approvals.length)
})

const drawn = fc.record({
  needed: fc.uniqueArray(fc.record({ role: fc.constantFrom('operator', 'admin'), people: fc.integer({ min: 1, max: 3 }) }), {
    selector: ({ role }) => role,
    maxLength: 2,
  }),
  approvals: fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.option(fc.constantFrom(...PROJECT_ROLES), { nil: undefined })), {
      maxLength: 8,
    })
    .map((all) => all.map(([person, role], index) => ({ number: index + 1, by: `${person}${index}`, person, role }))),
  makers: fc.uniqueArray(fc.constantFrom('a', 'b')).map((all) => new Set<string>(all)),
  releaser: fc.constantFrom('a', 'c', 'z'),
})

/** By trying: whether distinct people can be given to the needs. */
function canMeet(needs: readonly string[], people: readonly StandingApproval[]): boolean {
  const [first, ...rest] = needs
  if (first === undefined) return true
  return people.some(
    ({ person, role }) =>
      (role === first || role === 'admin') &&
      canMeet(
        rest,
        people.filter((each) => each.person !== person),
      ),
  )
}

test('nothing is missing just where distinct people of the roles can be found, without makers and the releaser', () => {
  const seen = { met: 0, unmet: 0 }
  fc.assert(
    fc.property(drawn, ({ needed, approvals, makers, releaser }) => {
      const { missing } = judgeApprovals({ needed, approvals, makers, releaser })
      const others = approvals.filter(({ person }) => !makers.has(person) && person !== releaser)
      const needs = needed.flatMap(({ role, people }) => Array.from({ length: people }, () => role))
      expect(missing.length === 0).toBe(canMeet(needs, others))
      seen[missing.length === 0 ? 'met' : 'unmet'] += 1
    }),
    { numRuns: 500 },
  )
  expect(Math.min(seen.met, seen.unmet)).toBeGreaterThan(20)
})

test('another approval never makes more people missing, and a maker or releaser never fewer', () => {
  fc.assert(
    fc.property(drawn, ({ needed, approvals, makers, releaser }) => {
      const count = (over: Partial<Parameters<typeof judgeApprovals>[0]>): number =>
        judgeApprovals({ needed, approvals, makers, releaser, ...over }).missing.reduce((sum, { people }) => sum + people, 0)
      expect(count({})).toBeLessThanOrEqual(count({ approvals: approvals.slice(1) }))
      expect(count({})).toBeGreaterThanOrEqual(count({ makers: NOBODY, releaser: 'nobody' }))
    }),
  )
})

test('a token stands for who holds its secret, through any chain, and tokens that rotated each other are one person', () => {
  const holders = new Map([
    ['robot', 'script'],
    ['script', 'oidc:ana'],
    ['p', 'q'],
    ['q', 'p'],
    ['r', 'p'],
  ])
  expect(personOf('robot', holders)).toBe('oidc:ana')
  expect(personOf('oidc:ben', holders)).toBe('oidc:ben')
  expect(['p', 'q', 'r'].map((id) => personOf(id, holders))).toEqual(['p', 'p', 'p'])
})

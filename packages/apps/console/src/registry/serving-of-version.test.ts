import { expect, test } from 'vitest'
import { servingOf } from './serving-of-version.ts'
import { beyondVersion } from './version-lineage.ts'

const revision = (number: number, artifact?: string) => ({
  number,
  model: 'm',
  argv: [],
  environment: [],
  created_at: 0,
  ...(artifact !== undefined && { version: { artifact, digest: `digest ${number}` } }),
})

const deployment = (stable: number, ...revisions: ReturnType<typeof revision>[]) => ({
  name: 'chat',
  state: 'serving' as const,
  stable,
  revisions,
})

const TRIAL = { revision: 2, stable: 1, state: 'canary' as const, stage: 0, since_at: 0, share: 0.1, why: '', findings: [] }

test.each([
  ['the one that serves', deployment(1, revision(1, 'a'), revision(2, 'a')), [{ as: 'serves', revision: 1 }]],
  ['one that was replaced', deployment(2, revision(1, 'a'), revision(2, 'b')), [{ as: 'served before', revision: 1, digest: 'digest 1' }]],
  ['one that names no version', deployment(1, revision(1)), []],
])('%s', (_, deployed, expected) => {
  expect(servingOf('a', [deployed])).toMatchObject(expected)
})

test('one on trial, until it is promoted or rolled back', () => {
  const deployed = deployment(1, revision(1, 'b'), revision(2, 'a'))
  expect(servingOf('a', [{ ...deployed, rollout: TRIAL }])).toMatchObject([{ as: 'is tried', revision: 2 }])
  expect(servingOf('a', [{ ...deployed, rollout: { ...TRIAL, state: 'rolled-back' as const } }])).toMatchObject([{ as: 'served before' }])
})

test('a picture of a version has its newest evaluations and its deployments, and counts the rest', () => {
  const evaluations = Array.from({ length: 20 }, (_, at) => ({ id: `e${at}`, names: [], facts: {}, created_at: 0, created_by: 'ada' }))
  const { nodes, edges, hidden } = beyondVersion('a', evaluations, servingOf('a', [deployment(1, revision(1, 'a'))]))
  expect([nodes.length, edges.length, hidden]).toEqual([9, 9, 12])
  expect(nodes.at(-1)).toMatchObject({ kind: 'deployment', title: 'chat', about: 'serves, revision 1' })
})

import { CARD_FACTS, DECISIONS, VERSION_FACTS } from '@ironlaw/contracts/model-registry'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { exportedFacts } from './exported-facts.ts'
import {
  hasUncommittedCode,
  lackingCardFacts,
  lackingFacts,
  type MakingRun,
  missingFacts,
  versionFacts,
  type VersionSources,
} from './version-facts.ts'
import { type DecidedAnswer, isReleased, versionState } from './version-state.ts'

const RUN = { id: 'tiny-1', plan: 'plan-1', argv: ['train.py'], files: { 'plan.json': 'ab' }, nodes: 2, processesPerNode: 4 }
const STATED = { code: 'f00', data: 'corpus@3', configuration: 'c0ffee', environment: 'image@sha256:1' }

test.each<[string, VersionSources, readonly string[]]>([
  ['nothing is known', { stated: {}, datasets: [] }, ['code', 'data', 'configuration', 'environment']],
  ['all is stated', { stated: STATED, datasets: [] }, []],
  ['the run knows its configuration', { stated: {}, run: RUN, datasets: [] }, ['code', 'data', 'environment']],
  ['and by its edges its data', { stated: {}, run: RUN, datasets: ['art-1'] }, ['code', 'environment']],
  [
    'the run knows its code and environment too',
    { stated: {}, run: { ...RUN, code: { commit: 'f00', path: '' }, environment: { packages: 'ab' } }, datasets: ['art-1'] },
    [],
  ],
  [
    'a kernel is no environment',
    { stated: {}, run: { ...RUN, code: { commit: 'f00', path: '' }, environment: { kernel: 'Linux 6' } }, datasets: ['art-1'] },
    ['environment'],
  ],
  [
    'empty values say nothing',
    { stated: { code: ' ', data: [], configuration: {}, environment: null }, datasets: [] },
    ['code', 'data', 'configuration', 'environment'],
  ],
  ['false and zero are values', { stated: { code: 0, data: false, configuration: 'c', environment: 'e' }, datasets: [] }, []],
])('%s', (_, sources, lacks) => {
  const known = versionFacts(sources)
  expect(lackingFacts(known)).toEqual(lacks)
  const missing = missingFacts(known)
  expect(missing.filter(({ blocks }) => blocks).map(({ fact }) => fact)).toEqual(lacks)
  expect([...known, ...missing].map(({ fact }) => fact).toSorted()).toEqual(VERSION_FACTS.toSorted())
  for (const { next } of missing) expect(next).toMatch(/ironlaw (?:artifact add|export)/)
})

test('a card needs what the model is meant for as well, and an evaluation', () => {
  const purpose = { intended_use: 'chat', languages: ['en'], context_tokens: 4096, licence: 'apache-2.0', contact: 'ana' }
  const of = (stated: VersionSources['stated'], evaluations: number) =>
    lackingCardFacts(versionFacts({ stated, datasets: [], evaluations }))
  expect(of({ ...STATED, ...purpose }, 0)).toEqual(['evaluations', 'limitations'])
  expect(of({ ...STATED, ...purpose, limitations: 'none known' }, 1)).toEqual([])
  expect(of({}, 1)).toEqual(CARD_FACTS.filter((fact) => fact !== 'evaluations'))
})

test.each<[string, VersionSources['stated'], Partial<MakingRun>, boolean]>([
  ['clean', {}, { code: { commit: 'f00', path: 'a' } }, false],
  ['changed', {}, { code: { commit: 'f00', path: 'a', changes: { digest: 'd', count: 2, files: [] } } }, true],
  ['stated otherwise', { code: 'f00' }, { code: { commit: 'f00', path: '', changes: { digest: 'd', count: 2, files: [] } } }, false],
  ['stated as dirty', { code: { version: 'f00', dirty: true } }, {}, true],
  ['unknown', {}, {}, false],
])('code that is %s', (_, stated, run, uncommitted) => {
  const known = versionFacts({ stated, run: { ...RUN, ...run }, datasets: [] })
  expect(hasUncommittedCode(known)).toBe(uncommitted)
})

test('what was stated counts before what the run knows, and each value has its origin', () => {
  const known = versionFacts({
    stated: { data: 'corpus@3' },
    run: { ...RUN, devices: { perNode: 8, kinds: ['h100-sxm'] } },
    datasets: ['art-1'],
    spending: { cost_usd: 12, energy_j: 3.6e6 },
    evaluations: 2,
  })
  expect(known).toEqual([
    { fact: 'data', value: 'corpus@3', from: 'stated' },
    { fact: 'configuration', value: { plan: 'plan-1', argv: ['train.py'], files: { 'plan.json': 'ab' } }, from: 'run' },
    { fact: 'plan', value: 'plan-1', from: 'run' },
    { fact: 'run', value: 'tiny-1', from: 'run' },
    { fact: 'hardware', value: { nodes: 2, processesPerNode: 4, devicesPerNode: 8, kinds: ['h100-sxm'] }, from: 'run' },
    { fact: 'cost', value: { cost_usd: 12 }, from: 'ledger' },
    { fact: 'energy', value: { energy_j: 3.6e6 }, from: 'ledger' },
    { fact: 'evaluations', value: 2, from: 'edges' },
  ])
})

test.each([
  [{}, {}],
  [{ run: null, plan: null, data: { position: 112 }, code: { argv: ['train.py'] } }, {}],
  [
    { data: { description: 'corpus@3', position: 112 }, code: { version: 'f00' } },
    { data: 'corpus@3', code: 'f00' },
  ],
  [
    { run: 'tiny-1', plan: 'plan-1', step: 7, code: { argv: ['train.py'], version: 'f00', dirty: false }, environment: 'image@1' },
    {
      run: 'tiny-1',
      plan: 'plan-1',
      step: 7,
      code: { version: 'f00', dirty: false },
      configuration: { plan: 'plan-1', argv: ['train.py'] },
      environment: 'image@1',
    },
  ],
])('the lineage %j of an export is the facts %j', (lineage, facts) => {
  expect(exportedFacts({ id: 'mv-1', lineage })).toEqual({ version: 'mv-1', ...facts })
})

const NOW = 1000
const decided = (...answers: readonly (DecidedAnswer['answer'] | number)[]): readonly DecidedAnswer[] =>
  answers.map((each, index) =>
    typeof each === 'number' ? { number: index + 1, answer: 'waived', until_at: each } : { number: index + 1, answer: each },
  )

test.each([
  ['nothing was decided', decided(), 'candidate', false],
  ['released', decided('released'), 'released', true],
  ['the newest counts', decided('released', 'refused'), 'refused', false],
  ['retired after a release', decided('released', 'retired'), 'retired', false],
  ['released again', decided('released', 'retired', 'released'), 'released', true],
  ['an approval changes nothing', decided('released', 'approved'), 'released', true],
  ['an approval is no release', decided('approved'), 'candidate', false],
  ['a waiver after a refusal', decided('refused', NOW + 1), 'waived', true],
  ['ends, and the refusal counts', decided('refused', NOW), 'refused', false],
  ['ends, and nothing else was decided', decided(NOW - 1), 'candidate', false],
  ['a newer waiver replaces a longer one', decided('refused', NOW + 100, NOW - 1), 'refused', false],
  ['a refusal ends a waiver', decided(NOW + 100, 'refused'), 'refused', false],
] as const)('%s', (_, decisions, state, released) => {
  expect(versionState(decisions, NOW)).toBe(state)
  expect(isReleased(versionState(decisions, NOW))).toBe(released)
})

test('the newest decision of each kind gives the same state as all of them, in any order', () => {
  const answer = fc.oneof(fc.constantFrom(...DECISIONS.filter((each) => each !== 'waived')), fc.integer({ min: NOW - 2, max: NOW + 2 }))
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 12 }), (answers) => {
      const all = decided(...answers)
      const newest = DECISIONS.flatMap((kind) => all.findLast((each) => each.answer === kind) ?? [])
      expect(versionState(newest, NOW)).toBe(versionState(all, NOW))
      expect(versionState(all.toReversed(), NOW)).toBe(versionState(all, NOW))
    }),
  )
})

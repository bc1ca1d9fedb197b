import { VERSION_FACTS } from '@ironlaw/contracts/model-registry'
import { expect, test } from 'vitest'
import { exportedFacts } from './exported-facts.ts'
import { lackingFacts, missingFacts, versionFacts, type VersionSources } from './version-facts.ts'

const RUN = { id: 'tiny-1', plan: 'plan-1', argv: ['train.py'], files: { 'plan.json': 'ab' }, nodes: 2, processesPerNode: 4 }
const STATED = { code: 'f00', data: 'corpus@3', configuration: 'c0ffee', environment: 'image@sha256:1' }

test.each<[string, VersionSources, readonly string[]]>([
  ['nothing is known', { stated: {}, datasets: [] }, ['code', 'data', 'configuration', 'environment']],
  ['all is stated', { stated: STATED, datasets: [] }, []],
  ['the run knows its configuration', { stated: {}, run: RUN, datasets: [] }, ['code', 'data', 'environment']],
  ['and by its edges its data', { stated: {}, run: RUN, datasets: ['art-1'] }, ['code', 'environment']],
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

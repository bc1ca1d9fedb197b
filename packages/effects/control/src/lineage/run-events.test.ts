import { fc, test as property } from '@fast-check/vitest'
import type { LineageArtifact, RunLineage } from '@ironlaw/store'
import { expect, test } from 'vitest'
import { datasetNamespace, runEvents, runIdOf, runOfEvent, type TrailEvent } from './run-events.ts'

const artifact = (id: string, name: string | null = null): LineageArtifact => ({ id, type: 'dataset', bytes: 10, files: 2, name })

const lineage = (over: Partial<RunLineage> = {}): RunLineage => ({
  run: { id: 'tiny-1', name: 'tiny', project: 'search', plan_id: 'plan-1' },
  began: 4,
  ended: undefined,
  used: [artifact('art-a', 'corpus')],
  made: [artifact('art-b')],
  ...over,
})

const event = (kind: string, over: Partial<TrailEvent> = {}): TrailEvent => ({
  stream: 'run/tiny-1',
  sequence: 9,
  at: 1_790_000_000.25,
  kind,
  body: {},
  transaction_id: '1000',
  feed: 5,
  ...over,
})

const SPACE = 's3://bucket/prefix'
const typesOf = (...given: Parameters<typeof runEvents>) => runEvents(...given).map(({ eventType }) => eventType)

test('the end of a run is a RunEvent with all that it used and made', () => {
  const producer = 'urn:ironlaw:control-plane'
  const spec = 'https://openlineage.io/spec/2-0-2/OpenLineage.json'
  const dataset = (name: string, id: string) => ({
    namespace: SPACE,
    name,
    facets: {
      version: {
        _producer: producer,
        _schemaURL: 'https://openlineage.io/spec/facets/1-0-1/DatasetVersionDatasetFacet.json#/$defs/DatasetVersionDatasetFacet',
        datasetVersion: id,
      },
      ironlaw_artifact: { _producer: producer, _schemaURL: `${spec}#/$defs/DatasetFacet`, type: 'dataset', bytes: 10, files: 2 },
    },
  })
  expect(runEvents(event('run-succeeded'), lineage(), SPACE)).toEqual([
    {
      eventType: 'COMPLETE',
      eventTime: '2026-09-21T14:13:20.250Z',
      producer,
      schemaURL: `${spec}#/$defs/RunEvent`,
      run: {
        runId: runIdOf('tiny-1'),
        facets: { ironlaw_plan: { _producer: producer, _schemaURL: `${spec}#/$defs/RunFacet`, run: 'tiny-1', plan: 'plan-1' } },
      },
      job: { namespace: 'search', name: 'tiny' },
      inputs: [dataset('search/corpus', 'art-a')],
      outputs: [dataset('search/art-b', 'art-b')],
    },
  ])
})

test('a run starts once: further attempts are RUNNING, and one that ended before any starts right before its end', () => {
  expect(typesOf(event('attempt-started', { sequence: 4 }), lineage(), SPACE)).toEqual(['START'])
  expect(typesOf(event('attempt-started'), lineage(), SPACE)).toEqual(['RUNNING'])
  expect(typesOf(event('run-failed'), lineage(), SPACE)).toEqual(['FAIL'])
  expect(typesOf(event('run-cancelled', { sequence: 4 }), lineage(), SPACE)).toEqual(['START', 'ABORT'])
  expect(runEvents(event('attempt-started', { sequence: 4 }), lineage(), SPACE)[0]).toMatchObject({ outputs: [], inputs: [{}] })
})

test('an artifact that is registered after the end follows it; one before is told at the end', () => {
  const made = event('artifact-made', { stream: 'artifacts/search', body: { artifact: 'art-b', run: 'tiny-1' } })
  expect(typesOf(made, lineage(), SPACE)).toEqual([])
  const endedAt = (transaction_id: string, feed: number) =>
    lineage({ ended: { transaction_id, feed }, made: [artifact('art-b'), artifact('art-c')] })
  expect(runEvents(made, endedAt('999', 9), SPACE)).toMatchObject([{ eventType: 'OTHER', outputs: [{ name: 'search/art-b' }] }])
  expect(typesOf(made, endedAt('1000', 4), SPACE)).toEqual(['OTHER'])
  expect(typesOf(made, endedAt('1000', 6), SPACE)).toEqual([])
  expect(typesOf(made, endedAt('1001', 1), SPACE)).toEqual([])
})

test('thousands of artifacts are told in several events, each once', () => {
  const many = Array.from({ length: 1201 }, (_, index) => artifact(`art-${index}`))
  const told = runEvents(event('run-succeeded'), lineage({ made: many }), SPACE)
  expect(told.map(({ eventType, inputs, outputs }) => [eventType, inputs.length, outputs.length])).toEqual([
    ['COMPLETE', 1, 500],
    ['OTHER', 0, 500],
    ['OTHER', 0, 201],
  ])
  expect(told.flatMap(({ outputs }) => outputs.map(({ name }) => name))).toEqual(many.map(({ id }) => `search/${id}`))
})

test('only what says something of lineage is looked at', () => {
  expect(runOfEvent(event('run-succeeded'))).toBe('tiny-1')
  expect(runOfEvent(event('attempt-started'))).toBe('tiny-1')
  expect(runOfEvent(event('artifact-registered', { stream: 'artifacts/p', body: { artifact: 'a', run: 'r' } }))).toBe('r')
  const others = [
    event('run-running'),
    event('toString'),
    event('run-succeeded', { stream: 'principals' }),
    event('artifact-made', { body: { run: 'r' } }),
    event('artifact-registered', { stream: 'artifacts/p', body: { artifact: 'a' } }),
  ]
  expect(others.map(runOfEvent)).toEqual(others.map(() => undefined))
})

property.prop([fc.string(), fc.string()])('ids of runs are UUIDs of version 8, equal for equal runs only', (one, other) => {
  expect(runIdOf(one)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(runIdOf(one) === runIdOf(other)).toBe(one === other)
})

test.each([
  ['/srv/my artifacts', 'file:///srv/my%20artifacts'],
  ['file:///srv/artifacts/', 'file:///srv/artifacts'],
  ['s3://bucket/prefix/', 's3://bucket/prefix'],
  ['s3://key:secret@bucket/prefix?token=secret#secret', 's3://bucket/prefix'],
])('storage at %s is the namespace %s', (storage, namespace) => {
  expect(datasetNamespace(storage)).toBe(namespace)
})

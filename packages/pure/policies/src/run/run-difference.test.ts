import type { RunOrigin } from '@ironlaw/contracts/run-origin'
import { normalQuantile } from '@ironlaw/laws/normal'
import { describe, expect, test } from 'vitest'
import { draws } from '../draws.fixture.ts'
import { fieldDifferences, unknownParts } from './field-differences.ts'
import { judgeByRepetitions, judgeBySteps } from './result-noise.ts'

const COMMIT = '4'.repeat(40)

const ORIGIN: RunOrigin = {
  run: 'a',
  code: {
    commit: COMMIT,
    path: 'train',
    changes: { digest: 'd', count: 2, files: [{ path: 'train.py', blob: 'b1' }, { path: 'new.py' }] },
  },
  configuration: {
    plan: 'plan-1',
    spec: { optimizer: { lr: 3e-4 }, steps: 100 },
    argv: ['python', 'train.py', '--lr', '3e-4', '--fused', '--seed=1'],
    directory: '/train',
    files: { 'c.yaml': 'f1' },
    variables: ['TOKEN'],
    secrets: {},
    shape: { nodes: 2, processesPerNode: 8, smaller: [] },
  },
  data: { uses: [{ name: 'corpus', id: 'art-1', type: 'dataset' }] },
  environment: { attempt: 1, node: 'n1', python: 'CPython 3.11', torch: '2.9.0', packages: { numpy: '2.1', torch: '2.9.0' }, others: [] },
  repetitions: [],
}

const described = (origin: Partial<RunOrigin>, plan?: Record<string, unknown>) => ({
  origin: { ...ORIGIN, ...origin },
  ...(plan && { plan }),
})

describe('what differs between origins', () => {
  test('nothing between a run and itself, on whichever node and in whichever plan of that id it ran', () => {
    const environment = { ...ORIGIN.environment, attempt: 3, node: 'n9', others: [] }
    const configuration = { ...ORIGIN.configuration, plan: 'plan-2' }
    const other = described({ run: 'b', environment, configuration }, { id: 'plan-2', name: 'b', decision: { tensor: 2 } })
    expect(fieldDifferences(described({}, { id: 'plan-1', name: 'a', decision: { tensor: 2 } }), other)).toEqual([])
  })

  test.each<[string, Partial<RunOrigin>, object[]]>([
    [
      'a changed file and one that is no longer there',
      { code: { commit: COMMIT, path: 'train', changes: { digest: 'e', count: 1, files: [{ path: 'train.py', blob: 'b2' }] } } },
      [
        { part: 'code', field: 'changes.digest', before: 'd', after: 'e' },
        { part: 'code', field: 'changes.files.train.py', before: 'b1', after: 'b2' },
        { part: 'code', field: 'changes.files.new.py', before: 'not in git' },
      ],
    ],
    [
      'another version of the same data',
      { data: { uses: [{ name: 'corpus', id: 'art-2', type: 'dataset' }], from: { run: 'x', step: 9 } } },
      [
        { part: 'data', field: 'uses.corpus', before: 'art-1', after: 'art-2' },
        { part: 'data', field: 'from.run', after: 'x' },
        { part: 'data', field: 'from.step', after: 9 },
      ],
    ],
    [
      'arguments by flag: one in between moves no other',
      {
        configuration: {
          ...ORIGIN.configuration,
          argv: ['python', 'train.py', '--warmup', '10', '--lr', '1e-4', '--fused', '--seed=2'],
          spec: { optimizer: { lr: 1e-4 }, steps: 100 },
        },
      },
      [
        { part: 'configuration', field: 'spec.optimizer.lr', before: 3e-4, after: 1e-4 },
        { part: 'configuration', field: 'argv.--lr', before: '3e-4', after: '1e-4' },
        { part: 'configuration', field: 'argv.--seed', before: '1', after: '2' },
        { part: 'configuration', field: 'argv.--warmup', after: '10' },
      ],
    ],
    [
      'a package, and nodes',
      {
        environment: {
          attempt: 1,
          node: 'n1',
          python: 'CPython 3.11',
          torch: '2.9.1',
          packages: { numpy: '2.2', torch: '2.9.1' },
          others: [],
        },
        configuration: { ...ORIGIN.configuration, shape: { nodes: 4, processesPerNode: 8, smaller: [] } },
      },
      [
        { part: 'environment', field: 'torch', before: '2.9.0', after: '2.9.1' },
        { part: 'environment', field: 'packages.numpy', before: '2.1', after: '2.2' },
        { part: 'environment', field: 'packages.torch', before: '2.9.0', after: '2.9.1' },
        { part: 'hardware', field: 'nodes', before: 2, after: 4 },
      ],
    ],
  ])('%s', (_, changed, expected) => {
    const found = fieldDifferences(described({}), described(changed))
    expect(found).toHaveLength(expected.length)
    expect(found).toEqual(expect.arrayContaining(expected))
  })

  test('what a run does not say may differ', () => {
    const { code: _, environment: __, ...bare } = ORIGIN
    expect(unknownParts({ origin: bare })).toEqual([
      { run: 'a', part: 'code' },
      { run: 'a', part: 'environment' },
    ])
  })
})

describe('what is beyond noise', () => {
  const PAIRS = 2000

  /** Losses of a recipe: the seed moves a run by 1, a single value by 0.5 more. */
  const normals = (seed: number): (() => number) => {
    const draw = draws(seed)
    return () => normalQuantile(Math.max(1e-12, draw()))
  }

  test('of two runs of equal recipes with three repetitions each, at most 10 % are called different, of far ones nearly all', () => {
    const normal = normals(7)
    const alarms = (shift: number): number => {
      let beyond = 0
      for (let pair = 0; pair < PAIRS; pair += 1) {
        const before = Array.from({ length: 4 }, normal)
        const after = Array.from({ length: 4 }, () => normal() + shift)
        const judged = judgeByRepetitions((after[0] ?? 0) - (before[0] ?? 0), [before, after])
        if (judged?.verdict === 'beyond noise') beyond += 1
      }
      return beyond / PAIRS
    }
    expect(alarms(0)).toBeGreaterThan(0.03)
    expect(alarms(0)).toBeLessThan(0.1)
    expect(alarms(6)).toBeGreaterThan(0.95)
  })

  test('one run each says nothing of the noise between runs', () => {
    expect(judgeByRepetitions(0.1, [[1], [1.1]])).toBeUndefined()
    expect(judgeByRepetitions(0.1, [[1, 1.3], [1.1]])).toMatchObject({ from: 'repetitions', count: 3, verdict: 'within noise' })
  })

  test('losses of neighbouring steps are alike: of equal runs at most 10 % are beyond the noise of their steps', () => {
    const normal = normals(11)
    let beyond = 0
    for (let pair = 0; pair < 300; pair += 1) {
      let last = 0
      // Each value keeps 0.9 of the one before: steps taken as independent would call most pairs different.
      const series = Array.from({ length: 1024 }, () => (last = 0.9 * last + normal()))
      if (judgeBySteps(series)?.judged.verdict !== 'within noise') beyond += 1
    }
    expect(beyond / 300).toBeLessThan(0.1)
  })

  test('what is beyond the noise of the steps may still be the seed, and few steps are not judged', () => {
    const normal = normals(3)
    const shifted = Array.from({ length: 256 }, () => 1 + 0.1 * normal())
    expect(judgeBySteps(shifted)).toMatchObject({ judged: { verdict: 'noise between runs unknown', from: 'steps', count: 256 } })
    expect(judgeBySteps(shifted.slice(0, 31))).toBeUndefined()
  })
})

import { expect, test } from 'vitest'
import { parseSweepSpec } from './sweep-spec.ts'

const SPEC = {
  apiVersion: 'ironlaw/v1',
  kind: 'Sweep',
  name: 'rates',
  run: 'train.yaml',
  arguments: { '--lr': { from: 0.001, to: 0.1, scale: 'log' } },
  trials: 9,
}

test('defaults', () => {
  expect(parseSweepSpec({ ...SPEC, stopping: { first: 10 } }, 'sweep.yaml')).toMatchObject({ atOnce: 2, stopping: { factor: 3 } })
})

test.each([
  ['arguments.--lr.to', { arguments: { '--lr': { from: 1, to: 1 } } }, 'must be more than "from"'],
  ['arguments.--lr.from', { arguments: { '--lr': { from: 0, to: 1, scale: 'log' } } }, 'must be more than 0 on a log scale'],
  ['arguments', { arguments: {} }, 'nothing is varied'],
  ['trials', { trials: undefined }, 'a range has no end of values'],
  ['trials', { trials: 2000 }, 'at most 1000'],
  ['stopping.first', { stopping: { first: 0 } }, 'at least 1'],
  ['name', { name: 'Rates of mine' }, 'lower-case'],
])('%s is refused by its path', (path, change, problem) => {
  const of = (): unknown => parseSweepSpec(JSON.parse(JSON.stringify({ ...SPEC, ...change })), 'sweep.yaml')
  expect(of).toThrow(path)
  expect(of).toThrow(problem)
})

import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { expect, test } from 'vitest'
import { type RecipeParts, recipeOf } from './recipe.ts'

const program = { argv: ['train.py', '--seed', '1', '--lr=0.1'], directory: '/srv', environment: { A: '1' } }
const RUN: RecipeParts = {
  code: { commit: 'a'.repeat(40), path: '' },
  plan: sampleTrainingPlan(),
  program,
  shape: { nodes: 2, processesPerNode: 2, smaller: [] },
  uses: ['art-1', 'art-2'],
}
const argv = (...words: readonly string[]): Partial<RecipeParts> => ({ program: { ...program, argv: [...words] } })

test.each<[string, Partial<RecipeParts>, Partial<RecipeParts>]>([
  ['another seed', argv('train.py', '--seed', '1'), argv('train.py', '--seed', '2')],
  ['another seed in one word', argv('train.py', '--data-seed=1'), argv('train.py', '--data-seed=2')],
  ['in the way of hydra', argv('train.py', 'trainer.seed=1'), argv('train.py', 'trainer.seed=22')],
  ['within a line', argv('/bin/sh', '-c', 'train --seed 1 --lr 2'), argv('/bin/sh', '-c', 'train --seed 9 --lr 2')],
  ['in a variable', { program: { ...program, environment: { PL_SEED: '1' } } }, { program: { ...program, environment: { PL_SEED: '2' } } }],
  [
    'in a file',
    { program: { ...program, files: { 'a.yaml': 'lr: 1\nseed: 3\n' } } },
    { program: { ...program, files: { 'a.yaml': 'lr: 1\nseed: 4\n' } } },
  ],
  [
    'in JSON',
    { program: { ...program, files: { 'a.json': '{"seed":3,"x":1}' } } },
    { program: { ...program, files: { 'a.json': '{"seed":4,"x":1}' } } },
  ],
  ['artifacts in another order', { uses: ['art-1', 'art-2'] }, { uses: ['art-2', 'art-1'] }],
  ['another name', {}, { plan: sampleTrainingPlan({ name: 'other' }) }],
  ['another working directory', {}, { program: { ...program, directory: '/home' } }],
  ['more retries and spares', {}, { shape: { ...RUN.shape, retries: 3, spares: 1 } }],
])('the same recipe: %s', (_, a, b) => expect(recipeOf({ ...RUN, ...a })).toBe(recipeOf({ ...RUN, ...b })))

test.each<[string, Partial<RecipeParts>]>([
  ['commit', { code: { commit: 'b'.repeat(40), path: '' } }],
  ['changes', { code: { commit: 'a'.repeat(40), path: '', changes: { digest: 'c'.repeat(64), count: 1, files: [] } } }],
  ['argument', argv('train.py', '--seed', '1', '--lr=0.2')],
  ['argument behind a seed', argv('train.py', '--seed', '1', '0.1')],
  ['plan', { plan: sampleTrainingPlan({ globalBatch: 7 }) }],
  ['data', { uses: ['art-1'] }],
  ['variable', { program: { ...program, environment: { A: '2' } } }],
  ['nodes', { shape: { ...RUN.shape, nodes: 4 } }],
  ['checkpoint to begin with', { from: { run: 'other', step: 3 } }],
])('another recipe: %s', (_, change) => expect(recipeOf({ ...RUN, ...change })).not.toBe(recipeOf(RUN)))

test('code that is not known makes no recipe', () => {
  const { code: _, ...rest } = RUN
  expect(recipeOf(rest)).toBeUndefined()
})

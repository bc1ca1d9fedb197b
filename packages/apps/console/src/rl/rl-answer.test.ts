import { builtInCatalog } from '@ironlaw/catalog'
import { parseRlSpec } from '@ironlaw/contracts/rl-spec'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { stateOf } from '../address.ts'
import { RL, type RlQuestion } from './question.ts'
import { rlPlanner, rlSpecFor } from './rl-answer.ts'

const QUESTION: RlQuestion = {
  ...stateOf(RL, new URLSearchParams()),
  model: 'meta-llama/Llama-3.1-8B',
  devices: 16,
  prompts: 64,
  samples: 32,
  answerTokens: 1000,
  longest: 4000,
}

test('the question of the page has a plan, and its YAML is the spec that was planned', () => {
  const { plans, looked, yaml } = rlPlanner(builtInCatalog)(QUESTION)
  expect(looked).toBe(plans[0])
  expect(plans.map(({ placement }) => placement)).toContain('colocated')
  expect(parseRlSpec(parse(yaml), 'rl.yaml')).toEqual(rlSpecFor(QUESTION))
})

test('another rank is another plan, and weights that may lag leave no colocated one', () => {
  const planner = rlPlanner(builtInCatalog)
  const { plans } = planner({ ...QUESTION, staleness: 1 })
  expect(plans.every(({ placement, staleness }) => placement === 'separate' && staleness === 1)).toBe(true)
  expect(planner({ ...QUESTION, staleness: 1, rank: 1 }).looked).toBe(plans[1])
})

test('a model that does not fit says why', () => {
  const { looked, rejected } = rlPlanner(builtInCatalog)({ ...QUESTION, model: 'meta-llama/Llama-3.1-405B', devices: 8 })
  expect(looked).toBeUndefined()
  expect(rejected.join()).toContain('nothing that the trainer tries fits')
})

// What the controls of the studio for reinforcement learning write of a spec.

import { LENGTH_VARIATION } from '@ironlaw/contracts'
import type { RlSpec } from '@ironlaw/contracts/rl-spec'
import type { RlQuestion } from './question.ts'

/** The precision is checked by the planner's side, which knows them. */
type WrittenRlSpec = Omit<RlSpec, 'precision'> & { readonly precision: string }

export function writtenRlSpec(question: Omit<RlQuestion, 'rank' | 'rest'>): WrittenRlSpec {
  const { model, config, accelerator, devices, placement } = question
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'RL',
    name: config === '' ? (model.split('/').at(-1) ?? model) : 'config.json',
    model: config === '' ? model : './config.json',
    algorithm: question.algorithm,
    steps: question.steps,
    prompts: question.prompts,
    samples: question.samples,
    promptTokens: question.promptTokens,
    answers: { mean: question.answerTokens, variation: LENGTH_VARIATION },
    longestAnswer: question.longest,
    reference: true,
    ...(placement !== 'faster' && { placement }),
    staleness: question.staleness,
    fleet: { accelerator, count: devices },
    precision: question.precision,
    generation: { engine: question.engine },
  }
}

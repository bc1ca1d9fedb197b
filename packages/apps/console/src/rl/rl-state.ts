// A spec of reinforcement learning as the controls of the studio show it; what they cannot show is the rest.

import type { RlSpec } from '@ironlaw/contracts/rl-spec'
import { stateOf } from '../address.ts'
import { restOf } from '../specs/spec-rest.ts'
import { RL, type RlQuestion } from './question.ts'
import { writtenRlSpec } from './written-spec.ts'

const DEFAULTS = stateOf(RL, new URLSearchParams())

export function rlStateOf(spec: RlSpec): RlQuestion {
  const { fleet, answers, generation } = spec
  const state: RlQuestion = {
    ...DEFAULTS,
    model: spec.model,
    accelerator: fleet.accelerator,
    devices: fleet.count,
    algorithm: spec.algorithm,
    steps: spec.steps,
    prompts: spec.prompts,
    samples: spec.samples,
    promptTokens: spec.promptTokens,
    answerTokens: answers.mean ?? DEFAULTS.answerTokens,
    longest: spec.longestAnswer,
    placement: spec.placement ?? 'faster',
    staleness: spec.staleness,
    precision: spec.precision ?? DEFAULTS.precision,
    engine: generation.engine,
  }
  return { ...state, rest: restOf(spec, writtenRlSpec(state)) }
}

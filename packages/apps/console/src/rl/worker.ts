// The planner of reinforcement learning in a worker.

import { builtInCatalog } from '@ironlaw/catalog'
import type { RlPlan } from '@ironlaw/contracts'
import { measuredAccelerators, POLICIES } from '@ironlaw/planner'
import { decoderNames } from '../decoders.ts'
import { answerMessages } from '../worker-edge.ts'
import type { RlQuestion } from './question.ts'
import { type RlChoices, rlPlanner } from './rl-answer.ts'

const choices = (): RlChoices => ({
  models: decoderNames(),
  accelerators: measuredAccelerators.map((id) => ({ id, name: builtInCatalog.accelerators.get(id)?.name ?? id })),
  precisions: Object.keys(POLICIES),
})

answerMessages<RlQuestion, RlPlan>({ choices, quick: rlPlanner(builtInCatalog), slow: () => ({}) })

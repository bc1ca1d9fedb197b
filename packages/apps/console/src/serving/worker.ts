// The serving planner and its simulator in a worker.

import { builtInCatalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { measuredAccelerators, servingFrontFor } from '@ironlaw/planner'
import { decoderNames } from '../decoders.ts'
import { answerMessages } from '../worker-edge.ts'
import type { ServingChoices, SlowServingAnswer } from './answer.ts'
import { simulateLatency } from './felt.ts'
import type { ServingQuestion } from './question.ts'
import { servingPlanner } from './serving-answer.ts'
import { servingRequestFor } from './serving-of.ts'

const choices = (): ServingChoices => ({
  models: decoderNames(),
  accelerators: measuredAccelerators.map((id) => ({ id, name: builtInCatalog.accelerators.get(id)?.name ?? id })),
})

function slow(question: ServingQuestion, plan: ServingPlan | undefined): SlowServingAnswer {
  const felt = plan && simulateLatency(builtInCatalog, question, plan)
  return { front: servingFrontFor(builtInCatalog, servingRequestFor(builtInCatalog, question).wanted), ...(felt && { felt }) }
}

answerMessages<ServingQuestion, ServingPlan>({ choices, quick: servingPlanner(builtInCatalog), slow })

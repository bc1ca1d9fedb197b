// The serving planner and its simulator in a thread of their own.

import { builtInCatalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { measuredAccelerators, wantedFront } from '@ironlaw/planner'
import { decoderNames } from '../decoders.ts'
import { answerMessages } from '../worker-edge.ts'
import type { ServingChoices, ServingSlow } from './answer.ts'
import { feltBy } from './felt.ts'
import type { ServingQuestion } from './question.ts'
import { servingAnswer, wantedOf } from './serving-answer.ts'

const choices = (): ServingChoices => ({
  models: decoderNames(),
  accelerators: measuredAccelerators.map((id) => ({ id, name: builtInCatalog.accelerators.get(id)?.name ?? id })),
})

function slow(question: ServingQuestion, plan: ServingPlan | undefined): ServingSlow {
  const felt = plan && feltBy(builtInCatalog, question, plan)
  return { front: wantedFront(builtInCatalog, wantedOf(question)), ...(felt && { felt }) }
}

answerMessages<ServingQuestion, ServingPlan>({ choices, quick: (question) => servingAnswer(builtInCatalog, question), slow })

// The training planner in a worker, so that the page responds while it searches.

import { type Accelerator, builtInCatalog, peak } from '@ironlaw/catalog'
import type { TrainingPlan } from '@ironlaw/contracts'
import { POLICIES, RUNTIMES } from '@ironlaw/planner'
import { decoderNames } from '../decoders.ts'
import { answerMessages } from '../worker-edge.ts'
import type { Choices } from './answer.ts'
import { planAnswer } from './plan-answer.ts'
import type { TrainingQuestion } from './question.ts'
import { slowAnswer } from './slow-answer.ts'

const trains = (device: Accelerator): boolean =>
  device.facts.memory.capacity.value >= 16e9 && (peak(device, 'bf16') ?? peak(device, 'fp16')) !== undefined

const choices = (): Choices => ({
  models: decoderNames(),
  accelerators: [...builtInCatalog.accelerators.values()].filter(trains).map(({ id, name }) => ({ id, name })),
  regions: [...builtInCatalog.grids.values()].map(({ id, name }) => ({ id, name })),
  precisions: Object.keys(POLICIES),
  runtimes: Object.keys(RUNTIMES),
})

answerMessages<TrainingQuestion, TrainingPlan>({
  choices,
  quick: (question) => planAnswer(builtInCatalog, question),
  slow: (question, plan) => slowAnswer(builtInCatalog, question, plan),
})

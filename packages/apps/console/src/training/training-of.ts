// A question of the page as the equivalent spec, and the planner's request for it.

import type { Catalog } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { POLICIES, type PolicyName, type TrainingRequest, trainingRequest } from '@ironlaw/planner'
import { findDecoder } from '../decoders.ts'
import type { TrainingQuestion } from './question.ts'

export const trainingRequestFor = (catalog: Catalog, question: TrainingQuestion): TrainingRequest =>
  trainingRequest(catalog, trainSpecFor(question), findDecoder(question))

export function trainSpecFor(question: TrainingQuestion): TrainSpec {
  const { accelerator, devices, link, region, tokens, sequence, batch, runtime, goal, deadline, budget } = question
  const { name } = findDecoder(question)
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'Train',
    name: name.split('/').at(-1) ?? name,
    model: question.config === '' ? name : './config.json',
    tokens: tokensText(tokens),
    sequence,
    globalBatch: batch,
    fleet: { accelerator, count: devices, ...(link !== '' && { link }) },
    precision: precisionOf(question),
    ...(question.optimizer !== 'adam' && { optimizer: question.optimizer }),
    goal,
    runtime,
    ...(deadline !== '' && { deadline }),
    ...(budget !== '' && { budget }),
    ...(region !== '' && { region }),
  }
}

const UNITS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
] as const

function tokensText(tokens: number): string {
  const [size, letter] = UNITS.find(([each]) => tokens % each === 0) ?? [1, '']
  return `${tokens / size}${letter} tokens`
}

function precisionOf({ precision }: TrainingQuestion): PolicyName {
  const isKnown = (name: string): name is PolicyName => Object.hasOwn(POLICIES, name)
  if (isKnown(precision)) return precision
  throw new IronlawError('IL_CONFIG', {
    file: 'the address',
    field: 'precision',
    problem: `"${precision}" is unknown; known are ${Object.keys(POLICIES).join(', ')}`,
  })
}

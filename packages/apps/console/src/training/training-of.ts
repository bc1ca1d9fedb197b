// A question of the page as the equivalent spec, and the planner's request for it.

import type { Catalog } from '@ironlaw/catalog'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { type TrainingRequest, trainingRequest } from '@ironlaw/planner'
import { findDecoder } from '../decoders.ts'
import { knownPrecision } from '../known-precision.ts'
import { withRest } from '../specs/spec-rest.ts'
import type { TrainingQuestion } from './question.ts'
import { writtenTrainSpec } from './written-spec.ts'

export const trainingRequestFor = (catalog: Catalog, question: TrainingQuestion): TrainingRequest =>
  trainingRequest(catalog, trainSpecFor(question), findDecoder(question))

export const trainSpecFor = (question: TrainingQuestion): TrainSpec =>
  withRest<TrainSpec>({ ...writtenTrainSpec(question), precision: knownPrecision(question.precision) }, question.rest)

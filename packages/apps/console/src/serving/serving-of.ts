// A question of the page as the equivalent spec, and the planner's request for it.

import type { Catalog } from '@ironlaw/catalog'
import { type PlannedServeSpec, servingRequest, type ServingRequest } from '@ironlaw/planner'
import { findDecoder } from '../decoders.ts'
import { MAX_RUNNING } from '../launch/deployment-request.ts'
import { withRest } from '../specs/spec-rest.ts'
import type { ServingQuestion } from './question.ts'
import { writtenServeSpec } from './written-spec.ts'

export const serveSpecFor = (question: ServingQuestion): PlannedServeSpec => withRest(writtenServeSpec(question), question.rest)

export function servingRequestFor(catalog: Catalog, question: ServingQuestion): ServingRequest {
  const modelNamed = (model: string) => findDecoder({ model, config: '' })
  const models = { file: 'the question', model: findDecoder(question), modelNamed }
  const { wanted, warnings } = servingRequest(catalog, serveSpecFor(question), models)
  // What is planned here is what the page deploys.
  return { wanted: { ...wanted, maxRunning: MAX_RUNNING }, warnings }
}

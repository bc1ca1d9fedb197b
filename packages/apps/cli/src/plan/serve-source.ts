// A serving request: a spec file with the models that it names.

import { basename, dirname } from 'node:path'
import type { Catalog } from '@ironlaw/catalog'
import { parseServeSpec, type ServeSpec } from '@ironlaw/contracts/serve-spec'
import { type ServingRequest as PlannerRequest, servingRequest } from '@ironlaw/planner'
import { readDocument } from '../input-file.ts'
import { modelFrom } from '../model/model-source.ts'

export type ServingRequest = PlannerRequest & { readonly spec: ServeSpec }

export const readServing = (catalog: Catalog, file: string): ServingRequest =>
  servingRequestFor(catalog, parseServeSpec(readDocument(file), file), file)

export function servingRequestFor(catalog: Catalog, spec: ServeSpec, file: string): ServingRequest {
  const modelNamed = (name: string) => modelFrom(name, dirname(file))
  return { spec, ...servingRequest(catalog, spec, { file: basename(file), model: modelNamed(spec.model), modelNamed }) }
}

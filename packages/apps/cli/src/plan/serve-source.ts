// A serving request: a spec file with the model it names.

import { dirname } from 'node:path'
import type { Catalog } from '@ironlaw/catalog'
import { accelerator as acceleratorOf } from '@ironlaw/catalog'
import { IronlawError, quantityOf } from '@ironlaw/contracts'
import { parseServeSpec, type ServeSpec } from '@ironlaw/contracts/serve-spec'
import type { Architecture } from '@ironlaw/models'
import { answersInOnePass, onePassArchitecture, type ServingPlanInputs } from '@ironlaw/planner'
import { givenValue } from '@ironlaw/units'
import { readDocument } from '../input-file.ts'
import { modelFrom } from '../model/model-source.ts'
import { speculationFrom } from './speculation-source.ts'

export type ServingRequest = { readonly spec: ServeSpec; readonly wanted: ServingPlanInputs; readonly warnings: readonly string[] }

export const readServing = (catalog: Catalog, file: string): ServingRequest =>
  servingRequestFor(catalog, parseServeSpec(readDocument(file), file), dirname(file))

/** `from` is the directory of the spec. */
export function servingRequestFor(catalog: Catalog, spec: ServeSpec, from: string): ServingRequest {
  const { name, architecture: read, warnings } = modelFrom(spec.model, from)
  const onePass = answersInOnePass(read)
  refuseModel(spec, { name, architecture: read, onePass })
  const architecture = onePass ? onePassArchitecture(read) : read
  const { objectives } = spec
  const { daily: _, trace: __, ...traffic } = spec.traffic
  const longest = architecture.longestContext ?? Infinity
  const tokens = traffic.input_tokens + traffic.output_tokens
  return {
    spec,
    warnings: [...warnings, ...(tokens > longest ? [`${tokens} tokens are more than the ${longest} the model was made for`] : [])],
    wanted: {
      name: spec.name,
      model: name,
      architecture,
      traffic,
      objectives: {
        ttft_s: quantityOf(objectives.ttft, 's'),
        tpot_s: quantityOf(objectives.tpot, 's'),
        percentile: objectives.percentile,
        probability: objectives.probability,
      },
      engine: spec.engine,
      cache: spec.cache,
      spare: spec.spare,
      goal: spec.goal,
      disaggregated: spec.disaggregated,
      ...(spec.accelerators && { accelerators: spec.accelerators.map((each) => acceleratorOf(catalog, each).id) }),
      ...(spec.precisions && { precisions: spec.precisions }),
      ...(spec.price !== undefined && { price: givenValue(quantityOf(spec.price, 'USD/s'), 'USD/s') }),
      ...(spec.layout && { layout: spec.layout }),
      ...(spec.adapters && { adapters: { activePerBatch: spec.adapters.count, ...spec.adapters } }),
      ...(spec.offload && { offload: offloadFrom(spec, spec.offload) }),
      ...(spec.speculation && { speculation: speculationFrom(spec.speculation, { name, architecture, warnings }, from) }),
      ...(spec.deploy && { maxRunning: spec.deploy.max_running }),
    },
  }
}

function offloadFrom(
  { disaggregated, traffic }: ServeSpec,
  { host, drive, reuseAfter }: NonNullable<ServeSpec['offload']>,
): NonNullable<ServingPlanInputs['offload']> {
  const problem =
    disaggregated === 'only'
      ? 'offload: tiers are planned for replicas that do prompts and tokens; leave out "disaggregated: only"'
      : traffic.cachedPrompt === 0
        ? 'offload: no prompt comes back; set traffic.cachedPrompt, the share of its tokens that does'
        : undefined
  if (problem !== undefined) throw new IronlawError('IL_USAGE', { problem, command: 'plan' })
  return {
    host_bytes: quantityOf(host, 'B'),
    drive_bytes: drive === undefined ? 0 : quantityOf(drive, 'B'),
    reuseAfter_s: quantityOf(reuseAfter, 's'),
  }
}

type ServedModel = { readonly name: string; readonly architecture: Architecture; readonly onePass: boolean }

function refuseModel({ traffic, speculation, offload, adapters }: ServeSpec, { name, architecture, onePass }: ServedModel): void {
  const usage = (problem: string): IronlawError => new IronlawError('IL_USAGE', { problem, command: 'plan' })
  const { vocabulary, groups, modelType } = architecture
  if (!onePass && (vocabulary === 0 || !groups.some(({ stack }) => stack === 'decoder')))
    throw usage(`${name} (${modelType}) takes no text; the serving planner plans language models and encoders`)
  if (!onePass) return
  if (traffic.output_tokens > 1) throw usage(`traffic.output_tokens: ${name} (${modelType}) answers in one pass: write 1, for its answer`)
  const unused = Object.entries({ speculation, offload, adapters }).find(([, value]) => value !== undefined)?.[0]
  if (unused !== undefined) throw usage(`${unused}: ${name} decodes and caches nothing: leave it out`)
}

// What is wanted served: a spec file, with the model it names.

import { dirname } from 'node:path'
import type { Catalog } from '@ironlaw/catalog'
import { accelerator as acceleratorOf } from '@ironlaw/catalog'
import { IronlawError, quantityOf } from '@ironlaw/contracts'
import { parseServeSpec, type ServeSpec } from '@ironlaw/contracts/serve-spec'
import type { WantedServing } from '@ironlaw/planner'
import { given } from '@ironlaw/units'
import { readDocument } from './input-file.ts'
import { modelFrom } from './model-source.ts'

export type Serving = { readonly spec: ServeSpec; readonly wanted: WantedServing; readonly warnings: readonly string[] }

export const servingFrom = (catalog: Catalog, file: string): Serving =>
  servingOf(catalog, parseServeSpec(readDocument(file), file), dirname(file))

/** `from` is the directory of the spec. */
export function servingOf(catalog: Catalog, spec: ServeSpec, from: string): Serving {
  const { name, architecture, warnings } = modelFrom(spec.model, from)
  if (architecture.vocabulary === 0 || !architecture.groups.some(({ stack }) => stack === 'decoder'))
    throw new IronlawError('IL_USAGE', {
      problem: `${name} (${architecture.modelType}) does not decode tokens; the serving planner plans language models`,
      command: 'plan',
    })
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
      },
      engine: spec.engine,
      cache: spec.cache,
      spare: spec.spare,
      goal: spec.goal,
      disaggregated: spec.disaggregated,
      ...(spec.accelerators && { accelerators: spec.accelerators.map((each) => acceleratorOf(catalog, each).id) }),
      ...(spec.precisions && { precisions: spec.precisions }),
      ...(spec.price !== undefined && { price: given(quantityOf(spec.price, 'USD/s'), 'USD/s') }),
      ...(spec.layout && { layout: spec.layout }),
      ...(spec.speculation && {
        speculation: { drafted: spec.speculation.draftedTokens, acceptance: spec.speculation.acceptance },
      }),
    },
  }
}

// A serving spec as the controls of the studio show it; what they cannot show is the rest.

import { quantityOf } from '@ironlaw/contracts'
import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import { stateOf } from '../address.ts'
import { restOf } from '../specs/spec-rest.ts'
import { SERVING, type ServingState } from './question.ts'
import type { PlannedServeSpec } from '@ironlaw/planner'
import { writtenServeSpec } from './written-spec.ts'

const DEFAULTS = stateOf(SERVING, new URLSearchParams())

export function servingStateOf(spec: ServeSpec): ServingState {
  const planned = normalServeSpec(spec)
  const { traffic, objectives, accelerators = [], layout = {}, speculation, adapters, offload } = planned
  const [accelerator = ''] = accelerators
  const state: ServingState = {
    ...DEFAULTS,
    model: planned.model,
    accelerator: accelerators.length === 1 ? accelerator : '',
    rate: Math.max(1, Math.round(100 * traffic.requests_per_s)),
    input: traffic.input_tokens,
    output: traffic.output_tokens,
    cached: Math.round(100 * traffic.cachedPrompt),
    ttft_ms: milliseconds(objectives.ttft),
    tpot_ms: milliseconds(objectives.tpot),
    percentile: objectives.percentile,
    probability: Math.round(100 * objectives.probability),
    engine: SERVING.engine.read(planned.engine) ?? DEFAULTS.engine,
    cache: SERVING.cache.read(planned.cache) ?? DEFAULTS.cache,
    spare: planned.spare,
    goal: planned.goal,
    split: planned.disaggregated,
    tensor: layout.tensor ?? 0,
    copies: layout.data ?? 0,
    ...(speculation && {
      speculation: speculation.method ?? 'mtp',
      drafted: speculation.draftedTokens,
      acceptance: Math.round(100 * (speculation.acceptance ?? 0)),
      draft: speculation.model ?? '',
    }),
    ...(adapters && { adapters: adapters.count, adapterRank: adapters.rank }),
    ...(offload && {
      offloadHost: gigabytes(offload.host),
      offloadDrive: offload.drive === undefined ? 0 : gigabytes(offload.drive),
      reuse_s: Math.round(quantityOf(offload.reuseAfter, 's')),
    }),
  }
  return { ...state, rest: restOf(planned, writtenServeSpec(state)) }
}

const milliseconds = (time: string): number => Math.max(1, Math.round(1000 * quantityOf(time, 's')))
const gigabytes = (size: string): number => Math.max(1, Math.round(quantityOf(size, 'B') / 1e9))

/** As the spec has it when it is left out. */
const USUAL_COLD_START = '60 s'

/** Quantities in the units of the controls, where they are whole in them. */
export function normalServeSpec({ coldStart, ...whole }: ServeSpec): PlannedServeSpec {
  const { deploy: _, ...spec } = whole
  const { objectives, speculation, offload } = spec
  return {
    ...spec,
    ...(coldStart !== USUAL_COLD_START && { coldStart }),
    objectives: { ...objectives, ttft: inUnit(objectives.ttft, 'ms'), tpot: inUnit(objectives.tpot, 'ms') },
    ...(speculation && { speculation: { ...speculation, method: speculation.method ?? 'mtp' } }),
    ...(offload && {
      offload: {
        host: inUnit(offload.host, 'GB'),
        ...(offload.drive !== undefined && { drive: inUnit(offload.drive, 'GB') }),
        reuseAfter: inUnit(offload.reuseAfter, 's'),
      },
    }),
  }
}

const UNITS = { ms: { base: 's', size: 1e-3 }, s: { base: 's', size: 1 }, GB: { base: 'B', size: 1e9 } } as const

function inUnit(text: string, unit: keyof typeof UNITS): string {
  const { base, size } = UNITS[unit]
  // Rounded, because 0.5 s over 1e-3 s is not quite 500.
  const value = Number((quantityOf(text, base) / size).toPrecision(12))
  return Number.isInteger(value) ? `${value} ${unit}` : text
}

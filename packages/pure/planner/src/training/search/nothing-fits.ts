// Why no strategy is left, and the one change that would help.

import type { Catalog } from '@ironlaw/catalog'
import { bytes, counted, show } from '@ironlaw/units'
import { illegality } from './legality.ts'
import { type PlanningResult, planningSteps } from '../plan-training.ts'
import type { Candidate } from './ranking.ts'
import type { SearchSteps } from './search-steps.ts'
import { chanceText } from '../memory/device-need.ts'
import { shortfall } from '../memory/shortfall.ts'
import { PLAIN, type Strategy } from '../strategy.ts'
import { strategyText } from '../explain/strategy-text.ts'
import type { TrainingRequest } from '../request/training-request.ts'

export type NothingFits = {
  readonly why: string
  readonly change: string
  /** Where more devices are the change. */
  readonly devices?: number
  /** The one that needs least memory, where memory is what is missing. */
  readonly smallest?: Strategy
}

/** Doublings of the fleet that are tried to see whether anything would fit. */
const DOUBLINGS = [2, 4, 8, 16, 32]
const LESS = 'use accelerators with more memory, a smaller model or shorter sequences'

export function* nothingFits(catalog: Catalog, request: TrainingRequest, planning: PlanningResult): SearchSteps<NothingFits> {
  const { found } = planning
  const { memory } = request.machine.host
  if (found.smallest) return yield* tooLargeAnswer(catalog, request, { ...planning, smallest: found.smallest })
  if (found.host_bytes !== undefined && memory !== undefined)
    return {
      why: `nothing fits: with the optimizer off the device, the host would need ${show(bytes(found.host_bytes), 'B')} per device and has ${show(bytes(memory), 'B')}`,
      change: 'use more devices, or keep the optimizer on nvme',
    }
  return {
    why: `no legal strategy: ${firstIllegality(request) ?? 'the global batch cannot be divided over the devices'}`,
    change: degreesDivide(request)
      ? 'take a batch that is a multiple of the number of devices, or other degrees'
      : `take degrees whose product divides ${request.wanted.fleet.devices.toLocaleString('en')}, such as powers of two, or leave them out: the search then chooses them`,
  }
}

function degreesDivide({ wanted, spec }: TrainingRequest): boolean {
  const { tensor, context, pipeline } = { ...PLAIN, ...spec.strategy }
  return wanted.fleet.devices % (tensor * context * pipeline) === 0
}

type TooLargePlanning = PlanningResult & { readonly smallest: Candidate }

function* tooLargeAnswer(
  catalog: Catalog,
  request: TrainingRequest,
  { smallest, limit_bytes: limit, probability, fleet }: TooLargePlanning,
): SearchSteps<NothingFits> {
  const { wanted, machine } = request
  const { strategy, memory_bytes } = smallest
  const short = shortfall({ job: wanted.job, machine }, strategy, { fleet, limit, probability })
  const why = `nothing fits: the smallest, ${strategyText(strategy)}, would need ${show(bytes(memory_bytes), 'B')} of ${show(bytes(limit), 'B')} per device, mostly ${short?.dominant ?? 'states'}, and fit with ${chanceText(short?.probability ?? 0)}`
  const remedy = short?.remedies[0]?.change
  if (remedy !== undefined) return { why, change: remedy, smallest: strategy }
  const devices = yield* enoughDevices(catalog, request)
  const otherwise = (change: string): string => [...(short?.otherwise.slice(0, 1) ?? []), change].join(', or ')
  return devices === undefined
    ? { why, change: otherwise(LESS), smallest: strategy }
    : { why, change: otherwise(`use ${devices.toLocaleString('en')} devices`), devices, smallest: strategy }
}

function* enoughDevices(catalog: Catalog, { machine, wanted }: TrainingRequest): SearchSteps<number | undefined> {
  for (const factor of DOUBLINGS) {
    const devices = factor * wanted.fleet.devices
    const fleet = { devices, perNode: Math.min(machine.fabric.perNode, devices) }
    const { plans, tight } = yield* planningSteps(catalog, machine, { ...wanted, fleet, keep: 1 })
    if (plans.length > 0 && !tight) return devices
  }
  return undefined
}

/** Decisions as the search would complete them: chunks are interleaved, and a shard group shards something. */
const withImplied = (fixed: NonNullable<TrainingRequest['spec']['strategy']>): Strategy => ({
  ...PLAIN,
  ...(fixed.virtual !== undefined && fixed.virtual > 1 && { schedule: 'interleaved' }),
  ...(fixed.shardGroup !== undefined && { shards: 'optimizer' }),
  ...fixed,
})

function firstIllegality({ wanted, spec }: TrainingRequest): string | undefined {
  const asked = withImplied(spec.strategy ?? {})
  const rest = wanted.fleet.devices / (asked.tensor * asked.context * asked.pipeline)
  if (!Number.isInteger(rest))
    return `tensor ${asked.tensor} x context ${asked.context} x pipeline ${asked.pipeline} does not divide ${counted(wanted.fleet.devices, 'device')}`
  return illegality(wanted.job, { ...asked, data: spec.strategy?.data ?? rest }, wanted.fleet)
}

// What a search tries of experts, pruned before it multiplies: of the dispatchers only the quickest, overlap only where a schedule allows it,
// and of the many sets of modules to recompute the one that costs little.

import type { Dispatcher, RecomputeModule } from '@ironlaw/contracts'
import type { Setup } from '../job.ts'
import type { Recompute, Strategy } from '../strategy.ts'
import type { Runtime } from '../time/runtime.ts'
import { dispatchTime } from '../time/expert-exchange.ts'
import { localGroups } from '../time/local-operators.ts'
import { type PlanFleet, dispatcherProblem, layerKinds } from './legality.ts'

type Axes = { readonly fixed: Partial<Strategy>; readonly recompute: readonly Recompute[] }

/** The division with the dispatcher that exchanges in least time. Which one that is depends on nothing that is decided later. */
export function withDispatcher(setup: Setup, fleet: PlanFleet, { fixed }: Axes): (division: Strategy) => Strategy {
  const { dispatchers } = setup.machine.runtime
  return (division) => {
    if (division.expert === 1 || fixed.dispatcher !== undefined) return division
    const groups = localGroups(setup.job, division)
    let best: { readonly dispatcher: Dispatcher; readonly time: number } | undefined
    for (const dispatcher of dispatchers) {
      const tried = { ...division, dispatcher }
      if (dispatcherProblem(tried, fleet) !== undefined) continue
      const time = groups.reduce((sum, group) => sum + dispatchTime(setup, group, tried), 0)
      if (!best || time < best.time) best = { dispatcher, time }
    }
    return best ? { ...division, dispatcher: best.dispatcher } : division
  }
}

type Overlap = Pick<Strategy, 'expertOverlap'>

const APART: readonly Overlap[] = [{}]
const BESIDE: readonly Overlap[] = [{ expertOverlap: true }]
const BOTH: readonly Overlap[] = [...BESIDE, ...APART]

type Place = { readonly division: Strategy } & Pick<Strategy, 'pipeline' | 'virtual' | 'schedule'>

/** DualPipe is made for it; elsewhere it costs the memory of one microbatch more. */
export function overlapsOf({ fixed }: Axes, runtime: Runtime, { division, pipeline, virtual, schedule }: Place): readonly Overlap[] {
  if (fixed.expertOverlap !== undefined || division.expert === 1 || division.dispatcher === 'allgather') return APART
  if (schedule === 'dualpipe') return fixed.recompute === 'full' ? APART : BESIDE
  return runtime.expertOverlap > 0 && (pipeline === 1 || virtual > 1) ? BOTH : APART
}

export type RecomputeMode = Pick<Strategy, 'recompute' | 'recomputeModules'>

/**
 * Experts that run again exchange again, so they cannot overlap. Among interleaved chunks overlap costs one chunk more of many: there it is left
 * out for them alone.
 */
export function modesOf(modes: readonly RecomputeMode[], placed: Strategy, overlaps: readonly Overlap[]): readonly RecomputeMode[] {
  if (placed.expert === 1) return modes
  if (placed.expertOverlap === true) return modes.filter((mode) => !repeatsExperts(mode))
  return placed.virtual > 1 && overlaps === BOTH ? modes.filter(repeatsExperts) : modes
}

const repeatsExperts = ({ recompute, recomputeModules }: RecomputeMode): boolean =>
  recompute === 'full' || recomputeModules?.includes('moe') === true

/** Modules that cost little to compute again and keep much. */
const LIGHT: readonly RecomputeModule[] = ['layernorm', 'moe_act']
const LIGHT_LATENT: readonly RecomputeModule[] = ['layernorm', 'mla_up_proj', 'moe_act']

/** Fused attention keeps nothing that recomputing its core would drop: that would cost time and save nothing. */
export function recomputeModes({ job, machine }: Setup, { fixed, recompute }: Axes): readonly RecomputeMode[] {
  if (fixed.recomputeModules !== undefined) return [{ recompute: fixed.recompute ?? 'selective', recomputeModules: fixed.recomputeModules }]
  const byModule = machine.runtime.selectiveShare === 0
  const kinds = layerKinds(job.architecture)
  const modes: readonly Recompute[] = fixed.recompute === undefined ? recompute : [fixed.recompute]
  return modes.flatMap((mode): readonly RecomputeMode[] => {
    if (mode !== 'selective') return [{ recompute: mode }]
    const core = fixed.recompute !== undefined || job.attention !== 'flash' || !byModule ? [{ recompute: mode }] : []
    if (!byModule || !kinds.has('moe')) return core
    return [...core, { recompute: mode, recomputeModules: kinds.has('latent-attention') ? LIGHT_LATENT : LIGHT }]
  })
}

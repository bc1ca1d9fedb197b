// What a prediction without physics reaches: every run keeps its devices as busy as the median of calibration runs on the same generation, in
// the same precision, with or without experts. Recomputed work counts as work. The same rows as the fit sees, so the same source is left out.

import { accelerator, type Catalog, peak } from '@ironlaw/catalog'
import { quantile } from '@ironlaw/laws/quantile'
import { siliconOf } from '../machine/silicon.ts'
import { divisionLimits } from '../training/search/legality.ts'
import { devicesOf } from '../training/strategy.ts'
import { stepFlops } from '../training/time/utilization.ts'
import type { Case } from './case.ts'

type Traits = { readonly generation: string; readonly compute: string; readonly experts: boolean }

const traitsOf = ({ choice, job }: Case): Traits => ({
  generation: siliconOf(choice.accelerator).generation,
  compute: job.policy.compute,
  experts: divisionLimits(job).experts > 1,
})

/** Seconds of the step if every device worked at its published peak. */
function peakTime(catalog: Catalog, { choice, job, strategy }: Case): number {
  const device = accelerator(catalog, choice.accelerator)
  const rate = peak(device, job.policy.compute) ?? peak(device, 'bf16')
  if (!rate) throw new Error(`${choice.accelerator} has no peak in ${job.policy.compute}`)
  return stepFlops(job, strategy).hardware / (devicesOf(strategy) * rate.value)
}

const NARROWER: readonly (readonly (keyof Traits)[])[] = [
  ['generation', 'compute', 'experts'],
  ['compute', 'experts'],
  ['generation', 'compute'],
  ['compute'],
  [],
]

/** Predicts the step of a run as the utilization of the most alike among `known` runs would have it. */
export function constantUtilization(catalog: Catalog, known: readonly Case[]): (asked: Case) => number {
  const runs = known.map((run) => ({ traits: traitsOf(run), utilization: peakTime(catalog, run) / run.measured.step_s }))
  return (asked) => {
    const traits = traitsOf(asked)
    const alike = NARROWER.map((shared) => runs.filter((run) => shared.every((trait) => run.traits[trait] === traits[trait])))
    const utilizations = alike.find(({ length }) => length > 0)?.map(({ utilization }) => utilization) ?? []
    return (
      peakTime(catalog, asked) /
      quantile(
        utilizations.toSorted((a, b) => a - b),
        0.5,
      )
    )
  }
}

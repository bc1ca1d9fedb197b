// What happens in a history, all of it from the seed: the runs that people want, and the faults. Faults are a list, so that a failing
// history can be made smaller by leaving some out.

import type { Verdict } from '../../packages/effects/control/test/effects.ts'
import { Draw } from './draw.ts'

export type RunPlan = {
  readonly at_s: number
  readonly nodes: number
  readonly processesPerNode: number
  readonly smaller: readonly number[]
  readonly spares: number
  readonly steps: number
  readonly checkpointEvery: number
  readonly boot_s: number
  /** A step whose loss is not a number, in this many attempts. */
  readonly bad?: { readonly step: number; readonly attempts: number }
  /** The program fails before its first step. */
  readonly isBroken: boolean
  /** Its nodes are measured before it starts. */
  readonly isChecked: boolean
}

export type TimedFault =
  | { readonly kind: 'node-dies' | 'node-hangs'; readonly at_s: number; readonly node: string; readonly for_s: number }
  | { readonly kind: 'rank-dies' | 'cancel'; readonly at_s: number; readonly run: number }
  | { readonly kind: 'executor-away' | 'api-away' | 'storage-away' | 'storage-full'; readonly at_s: number; readonly for_s: number }
  | { readonly kind: 'plane-stalls' | 'plane-dies'; readonly at_s: number; readonly plane: number; readonly for_s: number }
  | { readonly kind: 'clock-jumps'; readonly at_s: number; readonly plane: number; readonly by_s: number }

type Fault =
  | TimedFault
  /** What becomes of the effect with that number. */
  | { readonly kind: 'effect'; readonly number: number; readonly verdict: Exclude<Verdict, 'go'> }
  /** Its process hangs right before the effect with that number. */
  | { readonly kind: 'hangs-before'; readonly number: number; readonly for_s: number }
  /** The report delivered under that number arrives a second time, so much later. */
  | { readonly kind: 'report-repeated'; readonly number: number; readonly after_s: number }
  | { readonly kind: 'reply-lost'; readonly number: number }

export type Plan = {
  readonly seed: number
  /** Control planes at work on one database at once. */
  readonly planes: number
  readonly nodes: readonly string[]
  readonly slots: number
  /** Reaches less than half of what the others do. */
  readonly slow?: string
  readonly runs: readonly RunPlan[]
  readonly faults: readonly Fault[]
}

/** Then all faults are repaired, and every run must end. */
export const FAULTS_END_S = 60

const VERDICTS = ['crash-before', 'crash-after', 'crash-after', 'fail-before', 'fail-after', 'fail-after', 'twice'] as const
/** About this many effects happen before the faults end. */
const EFFECTS = 120
const REPORTS = 16
const HOUR_S = 3600

export function planOf(seed: number): Plan {
  const draw = new Draw(seed, 1)
  const nodes = ['n1', 'n2', 'n3', 'n4'].slice(0, draw.between(2, 4))
  const planes = draw.chance(0.5) ? 2 : 1
  // By a stream of its own, so that the plans of other seeds stay what they were.
  const apart = new Draw(seed, 3)
  const runs = draw.times(draw.of([1, 1, 1, 2, 2, 3]), () => ({ ...runPlan(draw, nodes.length), isChecked: apart.chance(0.25) }))
  const slow = nodes.length > 2 && apart.chance(0.5) ? { slow: apart.of(['n1', 'n2', 'n3'] as const) } : {}
  const timed = draw.times(draw.between(0, 4), () => timedFault(draw, { nodes, planes, runs: runs.length }))
  const effects = draw.times(draw.between(0, 5), () => ({
    kind: 'effect' as const,
    number: draw.between(1, EFFECTS),
    verdict: draw.of(VERDICTS),
  }))
  const repeated = draw.times(draw.between(0, 2), () => ({
    kind: 'report-repeated' as const,
    number: draw.between(1, REPORTS),
    after_s: draw.span(0, 30),
  }))
  const hangs = draw.times(draw.between(0, 2), () => ({
    kind: 'hangs-before' as const,
    number: draw.between(1, EFFECTS),
    for_s: draw.of([5, 35, 50]),
  }))
  const lost = draw.times(draw.between(0, 2), () => ({ kind: 'reply-lost' as const, number: draw.between(1, REPORTS) }))
  return { seed, planes, nodes, slots: 2, ...slow, runs, faults: [...timed, ...effects, ...hangs, ...repeated, ...lost] }
}

function runPlan(draw: Draw, fleet: number): Omit<RunPlan, 'isChecked'> {
  const nodes = draw.of([1, 2, 2])
  const steps = draw.between(3, 9)
  return {
    at_s: draw.span(0, 6),
    nodes,
    processesPerNode: draw.of([1, 1, 2]),
    smaller: nodes > 1 && draw.chance(0.3) ? [1] : [],
    spares: nodes < fleet && draw.chance(0.4) ? 1 : 0,
    steps,
    checkpointEvery: draw.between(2, 5),
    boot_s: draw.span(0, 3),
    ...(draw.chance(0.05) && { bad: { step: draw.between(1, steps), attempts: draw.of([1, 9]) } }),
    isBroken: draw.chance(0.04),
  }
}

type Scene = { readonly nodes: readonly string[]; readonly planes: number; readonly runs: number }

function timedFault(draw: Draw, { nodes, planes, runs }: Scene): TimedFault {
  const at_s = draw.span(1, 30)
  const for_s = draw.of([1, 3, 8, 20, 45])
  const node = nodes[draw.between(0, nodes.length - 1)] ?? 'n1'
  const plane = draw.between(0, planes - 1)
  const run = draw.between(0, runs - 1)
  const [first, ...others] = [
    { kind: 'node-dies', at_s, node, for_s },
    { kind: 'node-dies', at_s, node, for_s },
    { kind: 'node-hangs', at_s, node, for_s },
    { kind: 'rank-dies', at_s, run },
    { kind: 'rank-dies', at_s, run },
    { kind: 'cancel', at_s, run },
    { kind: 'executor-away', at_s, for_s },
    { kind: 'api-away', at_s, for_s },
    { kind: 'storage-away', at_s, for_s },
    { kind: 'storage-full', at_s, for_s },
    { kind: 'plane-stalls', at_s, plane, for_s },
    { kind: 'plane-stalls', at_s, plane, for_s },
    { kind: 'plane-dies', at_s, plane, for_s },
    { kind: 'clock-jumps', at_s, plane, by_s: draw.of([-HOUR_S, -90, -20, -2, 2, 20, 90, HOUR_S]) },
  ] as const
  return draw.of([first, ...others])
}

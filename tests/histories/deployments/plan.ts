// What happens in a history of a deployment, all of it from the seed: what people ask for, and the faults. Faults are a list, so that a
// failing history can be made smaller by leaving some out.

import type { Verdict } from '../../../packages/effects/control/test/effects.ts'
import { Draw } from '../draw.ts'

/** How the engines of a revision turn out. */
export type Behaviour = 'good' | 'failing' | 'never-ready' | 'exits' | 'wrong'

type RevisionPlan = { readonly at_s: number; readonly behaviour: Behaviour }

export const ORDERS = ['promote', 'rollback', 'pause', 'resume', 'back', 'back'] as const

export type TimedFault =
  | { readonly kind: 'node-dies' | 'node-hangs'; readonly at_s: number; readonly node: string; readonly for_s: number }
  | { readonly kind: 'executor-away' | 'api-away' | 'books-away'; readonly at_s: number; readonly for_s: number }
  | { readonly kind: 'storage'; readonly at_s: number; readonly how: 'fails' | 'full' | 'hangs'; readonly for_s: number }
  | { readonly kind: 'plane-stalls' | 'plane-dies'; readonly at_s: number; readonly plane: number; readonly for_s: number }
  | { readonly kind: 'clock-jumps'; readonly at_s: number; readonly plane: number; readonly by_s: number }
  | { readonly kind: 'gateway-dies' | 'gateway-cut-off'; readonly at_s: number; readonly gateway: number; readonly for_s: number }
  | {
      readonly kind: 'gateway-disk'
      readonly at_s: number
      readonly gateway: number
      readonly how: 'fails' | 'hangs'
      readonly for_s: number
    }
  | { readonly kind: 'hostile-sync'; readonly at_s: number; readonly forgery: number }
  | { readonly kind: 'order'; readonly at_s: number; readonly what: (typeof ORDERS)[number] }

type Fault =
  | TimedFault
  /** What becomes of the effect with that number. */
  | { readonly kind: 'effect'; readonly number: number; readonly verdict: Exclude<Verdict, 'go'> }
  /** Its process hangs right before the effect with that number. */
  | { readonly kind: 'hangs-before'; readonly number: number; readonly for_s: number }
  /** Right before that effect the database loses what was committed during this many effects. */
  | { readonly kind: 'failover'; readonly number: number; readonly lost: number }

export type Plan = {
  readonly seed: number
  readonly planes: number
  readonly gateways: number
  readonly nodes: readonly string[]
  readonly slots: number
  readonly replicas: number
  /** With a rule for scaling, up to this many. */
  readonly scaledTo?: number
  readonly shadow_s: number
  /** How long the revision before is kept for the way back. */
  readonly keepPrevious_s: number
  /** A user rolls back this long after a promotion. */
  readonly back_after_s?: number
  readonly boot_s: number
  readonly revisions: readonly RevisionPlan[]
  /** Of the tenant with a budget; billionths of a dollar. */
  readonly budget_nusd: number
  /** The second key is revoked then. */
  readonly revoked_at_s?: number
  readonly isRemoved: boolean
  readonly faults: readonly Fault[]
}

/** Then everything is repaired, and what is desired must serve. */
export const FAULTS_END_S = 40

const VERDICTS = [
  'crash-before',
  'crash-after',
  'crash-after',
  'fail-before',
  'fail-after',
  'fail-after',
  'twice',
  'drop-before',
  'drop-after',
  'late',
] as const
/** About this many effects happen before the faults end. */
const EFFECTS = 500
const HOUR_S = 3600
const TEN_YEARS_S = 315_360_000
const FORGERIES = 12

export function planOf(seed: number): Plan {
  const draw = new Draw(seed, 3)
  const nodes = ['n1', 'n2', 'n3', 'n4'].slice(0, draw.between(2, 4))
  const scene = { nodes, planes: draw.of([1, 2, 2]), gateways: draw.of([1, 2, 2, 3]) }
  const replicas = draw.between(1, 3)
  const revisions = draw.times(draw.of([0, 1, 1, 2]), () => ({
    at_s: draw.span(6, 26),
    behaviour: draw.of(['good', 'good', 'good', 'failing', 'never-ready', 'exits', 'wrong'] as const),
  }))
  const timed = draw.times(draw.between(0, 4), () => timedFault(draw, scene))
  const orders = draw.times(revisions.length === 0 ? 0 : draw.between(0, 2), () => ({
    kind: 'order' as const,
    at_s: draw.span(10, 38),
    what: draw.of(ORDERS),
  }))
  return {
    seed,
    ...scene,
    slots: 8,
    replicas,
    ...(draw.chance(0.2) && { scaledTo: replicas + draw.between(0, 2) }),
    shadow_s: draw.chance(0.25) ? 4 : 0,
    boot_s: draw.span(0.5, 4),
    revisions: revisions.toSorted((one, other) => one.at_s - other.at_s),
    budget_nusd: draw.of([1000, 5000, 100_000]),
    ...(draw.chance(0.5) && { revoked_at_s: draw.span(8, 36) }),
    isRemoved: draw.chance(0.25),
    keepPrevious_s: draw.of([0, 4, 12, 12]),
    ...(draw.chance(0.6) && { back_after_s: draw.span(0.5, 14) }),
    faults: [...timed, ...orders, ...numberedFaults(draw)],
  }
}

function numberedFaults(draw: Draw): Fault[] {
  const effects = draw.times(draw.between(0, 6), () => ({
    kind: 'effect' as const,
    number: draw.between(1, EFFECTS),
    verdict: draw.of(VERDICTS),
  }))
  const hangs = draw.times(draw.between(0, 1), () => ({
    kind: 'hangs-before' as const,
    number: draw.between(1, EFFECTS),
    for_s: draw.of([5, 35]),
  }))
  const lost = draw.chance(0.15) ? [{ kind: 'failover' as const, number: draw.between(60, EFFECTS), lost: draw.between(1, 12) }] : []
  return [...effects, ...hangs, ...lost]
}

type Scene = { readonly nodes: readonly string[]; readonly planes: number; readonly gateways: number }

function timedFault(draw: Draw, { nodes, planes, gateways }: Scene): TimedFault {
  const at_s = draw.span(1, 30)
  const for_s = draw.of([1, 3, 8, 20])
  const node = nodes[draw.between(0, nodes.length - 1)] ?? 'n1'
  const plane = draw.between(0, planes - 1)
  const gateway = draw.between(0, gateways - 1)
  const by_s = draw.of([-90, -2, 2, 90, -HOUR_S, HOUR_S, TEN_YEARS_S])
  return draw.of<TimedFault>([
    { kind: 'node-dies', at_s, node, for_s },
    { kind: 'node-hangs', at_s, node, for_s },
    { kind: 'executor-away', at_s, for_s },
    { kind: 'api-away', at_s, for_s },
    { kind: 'books-away', at_s, for_s },
    { kind: 'storage', at_s, how: draw.of(['fails', 'full', 'hangs'] as const), for_s },
    { kind: 'plane-stalls', at_s, plane, for_s },
    { kind: 'plane-dies', at_s, plane, for_s },
    { kind: 'clock-jumps', at_s, plane, by_s },
    { kind: 'gateway-dies', at_s, gateway, for_s },
    { kind: 'gateway-cut-off', at_s, gateway, for_s },
    { kind: 'gateway-disk', at_s, gateway, how: draw.of(['fails', 'hangs'] as const), for_s },
    { kind: 'hostile-sync', at_s, forgery: draw.between(0, FORGERIES - 1) },
    { kind: 'hostile-sync', at_s, forgery: draw.between(0, FORGERIES - 1) },
  ])
}

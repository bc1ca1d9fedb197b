// How many replicas the traffic wants, from what gateways counted since the last look.

import type { DeploymentSpec } from '@ironlaw/contracts/deployment-api'
import type { GatewaySync } from '@ironlaw/contracts/gateway-sync'
import { newScaleMemory, decideScale, type ScaleDecision, type ScaleRule } from '@ironlaw/policies/serving'
import type { ArrivalCounts, AutoscaleState } from './memory.ts'

type GatewayReport = { readonly id: string; readonly seen_at: number; readonly body: GatewaySync }

type ScaleInputs = {
  readonly now: number
  readonly rule: NonNullable<DeploymentSpec['scaling']>
  readonly gateways: readonly GatewayReport[]
  readonly isOurs: (pool: string) => boolean
  readonly replicas: number
}

/** A gateway that has said nothing for longer may be gone with what it had; they speak every second. */
const FRESH_S = 10
/** How long the last counts of a silent gateway are kept, in case it comes back. */
const KNOWN_S = 3600

/** Why the number changed, as people read it. */
export const SCALE_REASONS: Readonly<Record<ScaleDecision['why'], string>> = {
  steady: '',
  arrivals: 'expected arrivals exceed capacity',
  bursts: 'recent bursts needed this many',
  queue: 'the queue will not clear before another replica is warm',
  'from-zero': 'requests arrived',
  fewest: 'minimum',
  cooled: 'load has stayed below capacity',
  idle: 'idle',
}

/** Of a request, before any was answered: a page in, a paragraph out. */
const TOKENS_OF_REQUEST = 500
/** More than any gateway ever counts. A larger figure is false, and sums of such figures would overflow. */
const MOST_COUNTED = 1e15

const boundedCount = (total: number): number => Math.min(MOST_COUNTED, total)

/** Decides only once every live gateway has reported since the last decision: a missing report is unknown, not zero. */
export function autoscaleDecision(
  before: AutoscaleState | undefined,
  { now, rule, gateways, isOurs, replicas }: ScaleInputs,
): readonly [ScaleDecision, AutoscaleState | undefined] {
  const speaking = gateways.filter(({ seen_at }) => now - seen_at <= FRESH_S)
  const isOld = ({ id, seen_at }: GatewayReport): boolean => seen_at <= (before?.counted[id]?.at ?? Number.NEGATIVE_INFINITY)
  if (speaking.length === 0 || speaking.some(isOld)) return [{ replicas, why: 'steady' }, before]
  const elapsed_s = before ? now - before.at : 0
  const counts = speaking.map((said) => countOf(said, isOurs))
  const sum = (of: (count: GatewayCounts) => number): number => counts.reduce((total, count) => total + of(count), 0)
  const arrivals = sum((count) => arrivalsSince(before?.counted[count.id], count, elapsed_s))
  const answers = sum((count) => count.answers)
  const perRequest = answers === 0 ? TOKENS_OF_REQUEST : boundedCount(sum(({ tokens }) => tokens) / answers)
  const memory = before ? { ...before.memory } : newScaleMemory(now)
  const seen = {
    now,
    replicas,
    arriving: elapsed_s > 0 ? (arrivals * perRequest) / elapsed_s : 0,
    queuedTokens: sum(({ queued }) => queued) * perRequest,
    running: sum(({ running }) => running),
  }
  const decision = decideScale(ruleOf(rule), seen, memory)
  const known = Object.entries(before?.counted ?? {}).filter(([, { at }]) => now - at <= KNOWN_S)
  const counted = {
    ...Object.fromEntries(known),
    ...Object.fromEntries(counts.map(({ id, at, boot, arrived }) => [id, { at, boot, arrived }])),
  }
  return [decision, { at: now, counted, memory }]
}

type GatewayCounts = ArrivalCounts & {
  readonly id: string
  readonly queued: number
  readonly running: number
  readonly tokens: number
  readonly answers: number
}

function countOf({ id, seen_at: at, body }: GatewayReport, isOurs: ScaleInputs['isOurs']): GatewayCounts {
  const pools = body.pools.filter(({ name }) => isOurs(name))
  const replicas = body.replicas.filter(({ pool }) => isOurs(pool))
  const sum = (of: (replica: (typeof replicas)[number]) => number): number => replicas.reduce((total, each) => total + of(each), 0)
  return {
    id,
    at,
    boot: body.boot,
    arrived: Object.fromEntries(pools.map(({ name, arrived }) => [name, boundedCount(arrived)])),
    queued: boundedCount(pools.reduce((total, { queued }) => total + queued, 0)),
    running: boundedCount(sum(({ running }) => running)),
    tokens: boundedCount(sum(({ tokens }) => tokens)),
    answers: boundedCount(sum(({ answers }) => answers)),
  }
}

/** For a gateway that was silent longer than the interval between looks, the part that falls into this one; for a new gateway, nothing. */
function arrivalsSince(before: ArrivalCounts | undefined, { boot, arrived, at }: ArrivalCounts, elapsed_s: number): number {
  if (!before) return 0
  const known = before.boot === boot ? before.arrived : {}
  const more = Object.entries(arrived).reduce((sum, [pool, count]) => sum + Math.max(0, count - (known[pool] ?? 0)), 0)
  const silent_s = at - before.at
  return silent_s > elapsed_s + FRESH_S ? (more * elapsed_s) / silent_s : more
}

const ruleOf = (rule: ScaleInputs['rule']): ScaleRule => ({
  min: rule.min,
  max: rule.max,
  tokensPerSecond: rule.tokens_per_s,
  covered: rule.covered,
  coldStart_s: rule.cold_start_s,
  drain_s: rule.drain_s,
  downAfter_s: rule.down_after_s,
  idle_s: rule.idle_s,
})

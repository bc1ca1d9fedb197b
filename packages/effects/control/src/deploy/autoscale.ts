// How many replicas the traffic wants, from what gateways counted since the last look.

import type { DeploymentSpec } from '@ironlaw/contracts/deployment-api'
import { GATEWAY_FRESH_S } from '@ironlaw/policies/deployment'
import { newScaleMemory, decideScale, type ScaleDecision, type ScaleMemory, type ScaleRule } from '@ironlaw/policies/serving'
import { boundedCount, type GatewayIncrement, type GatewayMarks, type GatewayReport, increments } from './increments.ts'

export type AutoscaleState = {
  readonly at: number
  /** What gateways had counted when it last decided. */
  readonly counted: GatewayMarks
  readonly memory: ScaleMemory
}

type ScaleInputs = {
  readonly now: number
  readonly rule: NonNullable<DeploymentSpec['scaling']>
  /** What they say of this deployment's pools. */
  readonly gateways: readonly GatewayReport[]
  readonly replicas: number
}

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

/** Decides only once every live gateway has reported since the last decision: a missing report is unknown, not zero. */
export function autoscaleDecision(
  before: AutoscaleState | undefined,
  { now, rule, gateways, replicas }: ScaleInputs,
): readonly [ScaleDecision, AutoscaleState | undefined] {
  const speaking = gateways.filter(({ seen_at }) => now - seen_at <= GATEWAY_FRESH_S)
  const isOld = ({ id, seen_at }: GatewayReport): boolean => seen_at <= (before?.counted[id]?.at ?? Number.NEGATIVE_INFINITY)
  if (speaking.length === 0 || speaking.some(isOld)) return [{ replicas, why: 'steady' }, before]
  const elapsed_s = before ? now - before.at : 0
  const arrivals = gateways.map(({ body, ...report }) => ({ ...report, body: { ...body, replicas: [] } }))
  const { since, marks: counted } = increments(before?.counted, { now, gateways: arrivals })
  const arrived = since.reduce((sum, increment) => sum + arrivedWithin(elapsed_s, increment), 0)
  const serving = speaking.flatMap(({ body }) => body.replicas)
  const answers = boundedSum(serving, (replica) => replica.answers)
  const perRequest = answers === 0 ? TOKENS_OF_REQUEST : boundedCount(boundedSum(serving, ({ tokens }) => tokens) / answers)
  const memory = before ? { ...before.memory } : newScaleMemory(now)
  const seen = {
    now,
    replicas,
    arriving: elapsed_s > 0 ? (arrived * perRequest) / elapsed_s : 0,
    queuedTokens:
      boundedSum(
        speaking.flatMap(({ body }) => body.pools),
        ({ queued }) => queued,
      ) * perRequest,
    running: boundedSum(serving, (replica) => replica.running),
  }
  return [decideScale(ruleOf(rule), seen, memory), { at: now, counted, memory }]
}

const boundedSum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  boundedCount(items.reduce((sum, item) => sum + boundedCount(of(item)), 0))

/** For a gateway that was silent longer than the interval between decisions, the part that falls into this one. */
const arrivedWithin = (elapsed_s: number, { arrived, over_s }: GatewayIncrement): number =>
  over_s > elapsed_s + GATEWAY_FRESH_S ? (arrived * elapsed_s) / over_s : arrived

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

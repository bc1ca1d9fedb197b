// How many replicas the traffic wants, from what gateways counted since the last look.

import type { DeploymentSpec } from '@ironlaw/contracts/deployment-api'
import type { GatewaySync } from '@ironlaw/contracts/gateway-sync'
import { newScaleMemory, scale, type ScaleDecision, type ScaleRule } from '@ironlaw/policies/serving'
import type { Scaling } from './memory.ts'

type Asked = {
  readonly now: number
  readonly rule: NonNullable<DeploymentSpec['scaling']>
  readonly gateways: readonly { readonly id: string; readonly body: GatewaySync }[]
  readonly isOurs: (pool: string) => boolean
  readonly replicas: number
}

/** Why the number changed, as people read it. */
export const SCALED_BECAUSE: Readonly<Record<ScaleDecision['why'], string>> = {
  steady: '',
  arrivals: 'more will arrive than they sustain',
  bursts: 'bursts of late filled as many',
  queue: 'more waits than they work off before another is warm',
  'from-zero': 'somebody asks',
  cooled: 'fewer have been enough',
  idle: 'nobody asks',
}

/** Of a request, before any was answered: a page in, a paragraph out. */
const TOKENS_OF_REQUEST = 500

export function autoscaled(before: Scaling | undefined, { now, rule, gateways, isOurs, replicas }: Asked): [ScaleDecision, Scaling] {
  const arrived: Record<string, number> = {}
  let [arrivals, queued, running, tokens, answers] = [0, 0, 0, 0, 0]
  for (const { id, body } of gateways) {
    for (const pool of body.pools.filter(({ name }) => isOurs(name))) {
      const key = `${id} ${body.boot} ${pool.name}`
      arrived[key] = pool.arrived
      if (before) arrivals += pool.arrived - (before.arrived[key] ?? 0)
      queued += pool.queued
    }
    for (const replica of body.replicas.filter(({ pool }) => isOurs(pool))) {
      running += replica.running
      tokens += replica.tokens
      answers += replica.answers
    }
  }
  const perRequest = answers === 0 ? TOKENS_OF_REQUEST : tokens / answers
  const elapsed_s = before ? now - before.at : 0
  const memory = before ? { ...before.memory } : newScaleMemory(now)
  const arriving = elapsed_s > 0 ? (Math.max(0, arrivals) * perRequest) / elapsed_s : 0
  const decision = scale(ruleOf(rule), { now, replicas, arriving, queuedTokens: queued * perRequest, running }, memory)
  return [decision, { at: now, arrived, memory }]
}

const ruleOf = (rule: Asked['rule']): ScaleRule => ({
  min: rule.min,
  max: rule.max,
  tokensPerSecond: rule.tokens_per_s,
  covered: rule.covered,
  coldStart_s: rule.cold_start_s,
  drain_s: rule.drain_s,
  downAfter_s: rule.down_after_s,
  idle_s: rule.idle_s,
})

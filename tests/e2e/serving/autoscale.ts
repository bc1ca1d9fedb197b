// `npm run e2e:serving -- autoscale [TRACE]`: a bursty hour at twenty times its speed, open loop, against as many replicas as its busiest minute
// needs, as its mean needs, and as the autoscaler wants: answers within the objective and replica-seconds, in reality and in the simulator.

import { setTimeout as pause } from 'node:timers/promises'
import OpenAI from 'openai'
import { showPercent } from '@ironlaw/units'
import { KEY, LOCAL_REVISION, type LocalBed, startLocalBed } from './local-bed.ts'
import { burstyHour, busiestMinute, type Hour, meanRate, recordedHour } from '../../../tools/compare-scaling/hours.ts'
import {
  OBJECTIVE_S,
  type Outcome,
  REPLICA_REQUESTS_PER_S,
  SCALE_RULE,
  simulateHour,
  STEP_S,
  TOKENS,
} from '../../../tools/compare-scaling/simulated.ts'

const SEED = 1
/** Of a recorded hour, so that this machine can ask as many. */
const RECORDED_REQUESTS_PER_S = 15
const LOOK_S = 1

type MeasuredHour = Outcome & { readonly requests: number; readonly start_s: number }

const outcomeText = ({ attained, replica_s }: Outcome): string =>
  `${showPercent(attained)} within ${OBJECTIVE_S} s with ${replica_s.toFixed(0)} replica-seconds`

export async function compareScaling(say: (text: string) => void, trace: string | undefined): Promise<void> {
  const hour = trace === undefined ? burstyHour(SEED) : recordedHour(trace, RECORDED_REQUESTS_PER_S)
  const needed = (requests_per_s: number): number => Math.ceil(requests_per_s / REPLICA_REQUESTS_PER_S)
  const [peak, mean] = [needed(busiestMinute(hour)), needed(meanRate(hour))]
  say(
    `${hour.name}: ${hour.arrivals_s.length} requests, ${meanRate(hour).toFixed(1)} a second, ${busiestMinute(hour).toFixed(1)} in the busiest minute`,
  )
  const { tokensPerSecond: tokens_per_s, coldStart_s: cold_start_s, drain_s, downAfter_s: down_after_s } = SCALE_RULE
  const scaling = { min: 1, max: peak, tokens_per_s, cold_start_s, drain_s, down_after_s }
  const rule = { ...SCALE_RULE, max: peak }
  const bed = await startLocalBed()
  for (const [what, spec, kept] of [
    [`static peak (${peak})`, { replicas: peak }, { replicas: peak }],
    [`static mean (${mean})`, { replicas: mean }, { replicas: mean }],
    ['autoscaled', { replicas: 1, scaling }, { replicas: 1, autoscale: { rule, every_s: LOOK_S } }],
  ] as const) {
    const real = await measureHour(bed, { ...spec, limits: { drain_s: 10 } }, hour)
    say(
      `${what.padEnd(16)} ${outcomeText(real)}, simulated ${outcomeText(simulateHour(hour, kept))}; ${real.requests} requests, the slowest start took ${real.start_s.toFixed(1)} s`,
    )
  }
  await bed.stop()
}

async function measureHour({ plane, gateway }: LocalBed, spec: object, { arrivals_s }: Hour): Promise<MeasuredHour> {
  const revision = { ...LOCAL_REVISION, environment: { E2E_STEP_S: String(STEP_S) } }
  const {
    id,
    spec: { replicas },
  } = await plane.ask<{ id: string; spec: { replicas: number } }>('/v1/deployments', 'POST', { name: 'chat', spec, revision })
  await plane.until('chat', ({ serving }) => serving === replicas)
  await pause(1000)
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: KEY, maxRetries: 0 })
  const began = performance.now()
  const now_s = (): number => (performance.now() - began) / 1000
  const asked: Promise<number>[] = []
  let replica_s = 0
  const counting = new AbortController()
  const counter = (async () => {
    for (let last = 0; !counting.signal.aborted; await pause(250)) {
      const { replicas: living } = await plane.deployment('chat')
      replica_s += living.length * (now_s() - last)
      last = now_s()
    }
  })()
  for (const at of arrivals_s) {
    await pause(Math.max(0, 1000 * (at - now_s())))
    asked.push(timeAnswer(client, () => now_s() - at))
  }
  const took = await Promise.all(asked)
  counting.abort()
  await counter
  const starts = (await plane.events('chat')).flatMap(({ kind, body }) => (kind === 'replica-serving' ? [Number(body['start_s'])] : []))
  await plane.ask('/v1/deployments/chat', 'DELETE')
  await plane.until(id, ({ state }) => state === 'removed')
  return {
    attained: took.filter((each) => each <= OBJECTIVE_S).length / took.length,
    requests: took.length,
    replica_s,
    start_s: Math.max(...starts),
  }
}

const timeAnswer = (client: OpenAI, took: () => number): Promise<number> =>
  client.chat.completions
    .create({ model: 'chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: TOKENS })
    .then(took, () => Infinity)

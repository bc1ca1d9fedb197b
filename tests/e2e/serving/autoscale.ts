// `npm run e2e:serving -- autoscale`: one bursty load, open loop, against as many replicas as the peak needs, as the mean needs, and as the
// autoscaler wants: the share of answers within the objective, and the replica-seconds that it took, in reality and in the simulator.

import { setTimeout as pause } from 'node:timers/promises'
import OpenAI from 'openai'
import { linearCost, type ReplicaRule, simulateServing, traceOf, tracedArrivals, VLLM_RULE } from '@ironlaw/simulator/serving'
import { KEY, LOCAL_REVISION, type LocalBed, startLocalBed } from './local-bed.ts'

/** A request is ten steps of 40 ms, eight at a time: 20 a second for one replica. */
const STEP_S = 0.04
const TOKENS = 10
const REPLICA_REQUESTS_PER_S = 20
const OBJECTIVE_S = 1
/** For 45 requests a second, and for the mean of 26. */
const PEAK = 3
const MEAN = 2
/** Prompt and answer, as the engine counts them. */
const TOKENS_OF_REQUEST = TOKENS + 5
const SCALING = {
  min: 1,
  max: PEAK,
  tokens_per_s: REPLICA_REQUESTS_PER_S * TOKENS_OF_REQUEST,
  cold_start_s: 5,
  drain_s: 5,
  down_after_s: 15,
}
/** What a deployment takes where it does not say. */
const UTILISATION = 0.7
/** Quiet, a rise over half a minute, the peak, and the time after it. */
const LASTS_S = 130

function rateAt(second: number): number {
  if (second < 15 || second > 95) return 8
  return Math.min(45, 8 + (37 * (second - 15)) / 30)
}

type Outcome = { readonly attained: number; readonly requests: number; readonly replica_s: number; readonly start_s: number }

const shown = ({ attained, replica_s }: Pick<Outcome, 'attained' | 'replica_s'>): string =>
  `${(100 * attained).toFixed(1)} % within ${OBJECTIVE_S} s with ${replica_s.toFixed(0)} replica-seconds`

const REPLICA: ReplicaRule = {
  ...VLLM_RULE,
  cost: linearCost({ step_s: STEP_S, prefillToken_s: 1e-5, prefillPair_s: 0, decodeSequence_s: 0, decodeKey_s: 0 }),
  sequencesMost: 8,
  blocks: 4096,
  ahead: false,
}

const ADMISSION = { maxRunningPerReplica: 8, maxQueued: 1000, maxQueuedTokens: 1e7, deadline_s: 600 }

/** The same arrivals in the simulator, with the rule that the control plane makes of the deployment's. */
function simulated(replicas: number, isScaled: boolean): Pick<Outcome, 'attained' | 'replica_s'> {
  const rows = []
  for (let at = 0; at < LASTS_S; at += 1 / rateAt(at)) rows.push({ at_s: at, prompt: TOKENS_OF_REQUEST - TOKENS, output: TOKENS })
  const { min, max, tokens_per_s, cold_start_s, drain_s, down_after_s } = SCALING
  const rule = {
    min,
    max,
    tokensPerSecond: tokens_per_s,
    utilisation: UTILISATION,
    coldStart_s: cold_start_s,
    drain_s,
    downAfter_s: down_after_s,
    idle_s: Infinity,
  }
  let good = 0
  const { replica_s } = simulateServing(
    { replica: REPLICA, replicas, router: 'least-tokens', admission: ADMISSION, ...(isScaled && { autoscale: { rule, every_s: 1 } }) },
    tracedArrivals(traceOf(rows)),
    {
      seed: 1,
      each: ({ latency_s }) => {
        if (latency_s <= OBJECTIVE_S) good += 1
      },
    },
  )
  return { attained: good / rows.length, replica_s }
}

export async function compareScaling(say: (text: string) => void): Promise<void> {
  const bed = await startLocalBed()
  for (const [what, spec] of [
    [`static peak (${PEAK})`, { replicas: PEAK }],
    [`static mean (${MEAN})`, { replicas: MEAN }],
    ['autoscaled', { replicas: 1, scaling: SCALING }],
  ] as const) {
    const real = await measured(bed, { ...spec, limits: { drain_s: 10 } })
    const sim = simulated(spec.replicas, 'scaling' in spec)
    say(
      `${what.padEnd(16)} ${shown(real)}, simulated ${shown(sim)}; ${real.requests} requests, the slowest start took ${real.start_s.toFixed(1)} s`,
    )
  }
  await bed.stop()
}

async function measured({ plane, gateway }: LocalBed, spec: object): Promise<Outcome> {
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
  for (let at = 0; at < LASTS_S; at += 1 / rateAt(at)) {
    await pause(Math.max(0, 1000 * (at - now_s())))
    asked.push(answered(client, () => now_s() - at))
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

const answered = (client: OpenAI, took: () => number): Promise<number> =>
  client.chat.completions
    .create({ model: 'chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: TOKENS })
    .then(took, () => Infinity)

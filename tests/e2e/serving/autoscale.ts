// `npm run e2e:serving -- autoscale`: one bursty load, open loop, against as many replicas as the peak needs, as the mean needs, and as the
// autoscaler wants: the share of answers within the objective, and the replica-seconds that it took.

import { setTimeout as pause } from 'node:timers/promises'
import OpenAI from 'openai'
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
/** Quiet, a rise over half a minute, the peak, and the time after it. */
const LASTS_S = 130

function rateAt(second: number): number {
  if (second < 15 || second > 95) return 8
  return Math.min(45, 8 + (37 * (second - 15)) / 30)
}

type Outcome = { readonly attained: number; readonly requests: number; readonly replica_s: number; readonly start_s: number }

export async function compareScaling(say: (text: string) => void): Promise<void> {
  const bed = await startLocalBed()
  const scaling = {
    min: 1,
    max: PEAK,
    tokens_per_s: REPLICA_REQUESTS_PER_S * TOKENS_OF_REQUEST,
    cold_start_s: 5,
    drain_s: 5,
    down_after_s: 15,
  }
  for (const [what, spec] of [
    [`static peak (${PEAK})`, { replicas: PEAK }],
    [`static mean (${MEAN})`, { replicas: MEAN }],
    ['autoscaled', { replicas: 1, scaling }],
  ] as const) {
    const { attained, requests, replica_s, start_s } = await measured(bed, { ...spec, limits: { drain_s: 10 } })
    say(
      `${what.padEnd(16)} ${(100 * attained).toFixed(1)} % of ${requests} within ${OBJECTIVE_S} s, ${replica_s.toFixed(0)} replica-seconds, the slowest start took ${start_s.toFixed(1)} s`,
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

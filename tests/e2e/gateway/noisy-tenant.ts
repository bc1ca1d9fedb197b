// One tenant at fifty times its quota beside another one that behaves: what the second notices. Quiet and noisy spells take turns, so that
// what else runs on the machine meets both.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, MODEL } from './deployment.ts'
import { quantile } from './load.ts'
import { KEY, OTHER_KEY } from './setting.ts'

export type NoisyTimes = { readonly spell_s: number; readonly spells: number; readonly perSecond: number }

/** The quota of tenant two is 60 a minute. */
const NOISE_PER_SECOND = 50

export async function noisyTenant(deployment: Deployment, { spell_s, spells, perSecond }: NoisyTimes): Promise<readonly string[]> {
  const url = `${deployment.gateways[0]?.url}/v1/chat/completions`
  const quiet: number[] = []
  const noisy: number[] = []
  const noise = new Map<number, number>()
  // A minute's worth may come at once; from then on the quota is one a second.
  await paced(url, { key: OTHER_KEY, perSecond: NOISE_PER_SECOND, for_s: 2 })
  for (let spell = 0; spell < 2 * spells; spell += 1) {
    const loud = spell % 2 === 1
    const [latencies] = await Promise.all([
      paced(url, { key: KEY, perSecond, for_s: spell_s }),
      loud ? paced(url, { key: OTHER_KEY, perSecond: NOISE_PER_SECOND, for_s: spell_s, statuses: noise }) : sleep(0),
    ])
    ;(loud ? noisy : quiet).push(...latencies)
  }
  const [before, during] = [quantile(quiet, 0.99), quantile(noisy, 0.99)]
  const [admitted, refused] = [noise.get(200) ?? 0, noise.get(429) ?? 0]
  assert.ok(refused > 10 * admitted, 'the quota did not hold')
  return [
    `noisy tenant at 50 times its quota: ${admitted} admitted, ${refused} refused with 429`,
    `the other tenant: p50 ${quantile(quiet, 0.5).toFixed(1)} ms quiet, ${quantile(noisy, 0.5).toFixed(1)} ms noisy; p99 ${before.toFixed(1)} and ${during.toFixed(1)} ms, ratio ${(during / before).toFixed(2)} (goal 1.10; ${quiet.length} and ${noisy.length} requests)`,
  ]
}

type Pace = { readonly key: string; readonly perSecond: number; readonly for_s: number; readonly statuses?: Map<number, number> }

/** Requests at fixed times, whether or not the last one is answered; latencies count from the time each was due. */
async function paced(url: string, { key, perSecond, for_s, statuses }: Pace): Promise<readonly number[]> {
  const began = performance.now()
  const latencies: number[] = []
  const body = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4, ignore_eos: true })
  await Promise.all(
    Array.from({ length: perSecond * for_s }, async (_, index) => {
      const due = began + (1000 * index) / perSecond
      await sleep(Math.max(0, due - performance.now()))
      const answer = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      })
      await answer.text()
      statuses?.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 200) latencies.push(performance.now() - due)
    }),
  )
  return latencies
}

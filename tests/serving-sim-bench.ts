// `node tests/serving-sim-bench.ts [what ...]`: what the serving simulator costs and how true it is. With --data <folder> (or IRONLAW_DATA)
// also the parts that need files which are not shipped: traces/ and llmservingsim/. Times are of the processor, not of the wall:
// machines are shared.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { mmcP99, mmcWait } from '@ironlaw/laws/queueing/many-servers'
import {
  type ClusterRule,
  drawnArrivals,
  type Lengths,
  logNormalLength,
  md1Quantile,
  measuredLength,
  parseTrace,
  RandomStream,
  type ReplicaRule,
  type ServingOutcome,
  simulatedMD1,
  simulatedMM1,
  simulatedMMc,
  simulateServing,
  syntheticArrivals,
  type Trace,
  tracedArrivals,
} from '@ironlaw/simulator/serving'
import { quantity, showChange, showPercent } from '@ironlaw/units'
import { type ServedMachine, servedReplica } from '../tools/served-replica.ts'
import { errorText, replayLogs } from '../tools/serving-logs.ts'

const folder = process.argv.includes('--data') ? process.argv[process.argv.indexOf('--data') + 1] : process.env.IRONLAW_DATA

function timeWork<T>(work: () => T): { readonly value: T; readonly cpu_s: number } {
  const before = process.cpuUsage()
  const value = work()
  const { user, system } = process.cpuUsage(before)
  return { value, cpu_s: (user + system) / 1e6 }
}

const showCount = (value: number): string => Math.round(value).toLocaleString('en')

const LLAMA: ServedMachine = { model: 'Llama-3.1-8B', on: 'a100-80gb-sxm' }

function trace(name: string): Trace | undefined {
  const path = folder === undefined ? '' : join(folder, 'traces', name)
  if (!existsSync(path)) {
    console.log(`  ${name}: not there; --data names the folder that holds traces/`)
    return undefined
  }
  const parsed = parseTrace(gunzipSync(readFileSync(path)).toString())
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.trace
}

/** As in Vidur's README: Llama 3 8B on one A100, SARATHI chunks of 512, lengths of Azure's conversations, Poisson at 6.45 a second. */
function speed(): void {
  const replica = { ...servedReplica(LLAMA), tokensPerStep: 512, sequencesMost: 512 }
  const conversations = trace('azure-2023-conv.csv.gz')
  const lengths = conversations
    ? { prompt: measuredLength(conversations.prompt.toSorted()), output: measuredLength(conversations.output.toSorted()) }
    : { prompt: logNormalLength(1155, 0.9, 4096), output: logNormalLength(211, 0.8, 1000) }
  for (const longestRun of [64, 1])
    for (const count of [2000, 200_000]) {
      const arrivals = drawnArrivals({ requests_per_s: 6.45, burstiness: 1, ...lengths, count, seed: 1 })
      const { value, cpu_s } = timeWork(() =>
        simulateServing({ replica: { ...replica, longestRun }, replicas: 1, router: 'round-robin' }, arrivals, { seed: 1 }),
      )
      console.log(
        `  ${showCount(count)} requests${longestRun === 1 ? ', step by step' : ''}: ${cpu_s.toFixed(2)} s, ${showCount(count / cpu_s)} requests/s, ${showCount(value.steps / cpu_s)} steps/s (Vidur 433 requests/s)`,
      )
    }
}

const chat = (requests_per_s: number, count: number) =>
  drawnArrivals({
    requests_per_s,
    burstiness: 1.5,
    prompt: logNormalLength(300, 1, 4000),
    output: logNormalLength(200, 0.8, 2000),
    count,
    seed: 1,
  })

function curve(): void {
  const replica = servedReplica(LLAMA)
  for (const replicas of [1, 4, 16, 64, 256, 1024]) {
    const count = 1e6
    const { cpu_s } = timeWork(() => simulateServing({ replica, replicas, router: 'two-choices' }, chat(8 * replicas, count), { seed: 1 }))
    console.log(
      `  ${String(replicas).padStart(5)} replicas: ${((1e6 * cpu_s) / count).toFixed(2)} us a request, ${showCount(count / cpu_s)} requests/s`,
    )
  }
}

/** Ten million requests in a day have a mean of 116 a second; 64 replicas take them with the peak of a day. */
function day(): void {
  const replica = servedReplica(LLAMA)
  const count = 1e7
  const { value, cpu_s } = timeWork(() =>
    simulateServing({ replica, replicas: 64, router: 'two-choices' }, chat(count / 86_400, count), { seed: 1 }),
  )
  console.log(
    `  ${showCount(count)} requests over 64 replicas, ${(value.duration_s / 3600).toFixed(1)} h: ${cpu_s.toFixed(1)} s of processor time`,
  )
}

function queues(): void {
  const asked = { utilization: 0.7, count: 4e6, seed: 1 }
  const servers = 4
  const law = { servers: quantity(servers, '1'), utilization: quantity(asked.utilization, '1'), serviceTime: quantity(1, 's') }
  const mm1 = 1 / (1 - asked.utilization)
  const rows = [
    ['M/M/1', simulatedMM1(asked), mm1, Math.log(100) * mm1],
    ['M/D/1', simulatedMD1(asked), 1 + asked.utilization / (2 * (1 - asked.utilization)), md1Quantile(asked.utilization, 0.99)],
    [`M/M/${servers}`, simulatedMMc(servers, asked), 1 + mmcWait.of(law), mmcP99.of(law)],
  ] as const
  for (const [name, { mean, p99 }, lawMean, lawP99] of rows)
    console.log(
      `  ${name}: mean ${mean.toFixed(3)} s, law ${lawMean.toFixed(3)} (${showChange(mean / lawMean - 1)}); p99 ${p99.toFixed(3)} s, law ${lawP99.toFixed(3)} (${showChange(p99 / lawP99 - 1)})`,
    )
}

/** Tokens a second with a queue that never empties. */
function batching(): void {
  const lengths = { prompt: logNormalLength(300, 1, 2000), output: logNormalLength(200, 1.2, 2000) }
  const of = (kind: ReplicaRule['batching']): number =>
    simulateServing(
      { replica: { ...servedReplica(LLAMA), batching: kind, sequencesMost: 64 }, replicas: 1, router: 'round-robin' },
      drawnArrivals({ requests_per_s: 1000, burstiness: 1, ...lengths, count: 20_000, seed: 1 }),
      { seed: 1 },
    ).output_tokens_per_s
  const [continuous, inBatches] = [of('continuous'), of('static')]
  console.log(
    `  continuous ${showCount(continuous)} tokens/s, static ${showCount(inBatches)}: ${(continuous / inBatches).toFixed(1)} times`,
  )
}

const HOLDS = 20

/** Mean and half width of its 95 % interval, of batches of the same requests under both routers. */
function interval(values: readonly number[]): readonly [number, number] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return [mean, 2.093 * Math.sqrt(variance / values.length)]
}

function prefixes(): void {
  const conversation = trace('mooncake-conversation.jsonl.gz')
  if (!conversation) return
  const layout = { tensor: 4, pipeline: 1, data: 1, expert: 1 }
  const replica = {
    ...servedReplica({ model: 'Llama-3.1-70B', on: 'h100-sxm', layout }),
    tokensPerStep: 8192,
    prefixTokens: conversation.hashTokens,
  }
  const ttfts = (router: ClusterRule['router']): { readonly each: Float64Array; readonly outcome: ServingOutcome } => {
    const each = new Float64Array(conversation.count)
    const outcome = simulateServing({ replica, replicas: 12, router }, tracedArrivals(conversation), {
      seed: 1,
      hashes: conversation.hashes,
      each: ({ serial, ttft_s }) => {
        each[serial] = ttft_s
      },
    })
    return { each, outcome }
  }
  const plain = ttfts('least-tokens')
  for (const router of ['round-robin', 'two-choices', 'least-tokens', 'prefix-aware', 'kv-aware', 'sticky'] as const) {
    const { each, outcome } = ttfts(router)
    // Neighbouring requests share queues, so means over twenty stretches of the trace are compared, not single requests.
    const size = Math.floor(conversation.count / HOLDS)
    const gains = Array.from({ length: HOLDS }, (_, hold) => {
      const sum = (of: Float64Array): number => of.subarray(hold * size, (hold + 1) * size).reduce((total, value) => total + value, 0)
      return sum(plain.each) / sum(each)
    })
    const [gain, width] = interval(gains)
    console.log(
      `  ${router.padEnd(13)} cached ${showPercent(outcome.cached)} of prompt tokens, TTFT mean ${outcome.ttft_s.mean.toFixed(3)} s, p50 ${outcome.ttft_s.p50.toFixed(3)}, p90 ${outcome.ttft_s.p90.toFixed(3)}, p99 ${outcome.ttft_s.p99.toFixed(3)}; ${gain.toFixed(2)} +- ${width.toFixed(2)} times as fast as least-tokens`,
    )
  }
}

function logs(): void {
  const replayed = folder === undefined ? [] : replayLogs(folder)
  if (replayed.length === 0) console.log('  not there; --data names the folder that holds llmservingsim/')
  for (const { name, asIs, factors, heldOut } of replayed) {
    const text = ({ ttft_s, tpot_s, latency_s }: typeof asIs): string =>
      `ttft ${errorText(ttft_s)}   tpot ${errorText(tpot_s)}   latency ${errorText(latency_s)}`
    console.log(`  ${name}, errors at p50 / p90 / p99`)
    console.log(`    from the planner's curves, all requests       ${text(asIs)}`)
    console.log(`    decode x ${factors.decode.toFixed(2)}, prefill x ${factors.prefill.toFixed(2)}, held-out half ${text(heldOut)}`)
  }
}

const OBJECTIVES = { ttft_s: 1, tpot_s: 0.05 }
const COLD_S = 60

/** A day that falls to a quarter of its peak at night: replica hours when scaled by need, and when held for the peak. */
function scaling(): void {
  const replica = servedReplica(LLAMA)
  const prompt = fixedSample(logNormalLength(1500, 1, 8000))
  const output = fixedSample(logNormalLength(300, 0.8, 2000))
  const rates = Float64Array.from({ length: 288 }, (_, window) => 40 * (0.625 - 0.375 * Math.cos((2 * Math.PI * window) / 288)))
  const count = Math.floor(300 * rates.reduce((sum, rate) => sum + rate, 0))
  const arrivals = () => syntheticArrivals({ window_s: 300, rates, burstiness: 1.5, prompt, output }, { count, seed: 1 })
  const of = (rest: Partial<ClusterRule> & { readonly replicas: number }): ServingOutcome =>
    simulateServing({ replica, router: 'two-choices', objectives: OBJECTIVES, ...rest }, arrivals(), { seed: 1 })
  let replicas = 8
  while (of({ replicas }).attained < 0.99) replicas += 1
  const peak = of({ replicas })
  const tokensPerSecond = (40 * (mean(prompt) + mean(output))) / replicas
  const rule = {
    min: 2,
    max: 2 * replicas,
    tokensPerSecond,
    covered: 0.9,
    coldStart_s: COLD_S,
    drain_s: 10,
    downAfter_s: 600,
    idle_s: 3600,
  }
  const scaled = of({ replicas: Math.ceil(replicas / 2), autoscale: { every_s: 60, rule } })
  const text = ({ replica_s, attained }: ServingOutcome): string =>
    `${(replica_s / 3600).toFixed(0)} replica hours, ${showPercent(attained)} within the objectives`
  console.log(`  ${showCount(count)} requests in a day; ${replicas} replicas for the peak: ${text(peak)}`)
  console.log(`  scaled by need, ${COLD_S} s cold: ${text(scaled)}; ${showChange(scaled.replica_s / peak.replica_s - 1)}`)
}

const fixedSample = (length: Lengths): Int32Array => {
  const random = new RandomStream([3])
  return Int32Array.from({ length: 10_000 }, () => length(random))
}

const mean = (values: Int32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length

const PARTS: Readonly<Record<string, () => void>> = { speed, curve, day, queues, batching, prefixes, logs, scaling }
const requestedParts = process.argv.slice(2).filter((word) => word in PARTS)
for (const [name, part] of Object.entries(PARTS)) {
  if (requestedParts.length > 0 && !requestedParts.includes(name)) continue
  console.log(name)
  part()
}

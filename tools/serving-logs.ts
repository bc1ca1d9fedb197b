// Four request logs of vLLM 0.19 (casys-kaist/LLMServingSim, MIT; not shipped), the same arrivals replayed: errors of simulated percentiles,
// from the planner's curves alone, and with two factors fitted to the first half of the requests and scored on the second.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  calibrate,
  type ClusterRule,
  type CostFactors,
  type RequestLatency,
  type MeasuredRequest,
  replay,
} from '@ironlaw/simulator/serving'
import { quantile } from '@ironlaw/laws/quantile'
import { markdownTable } from './generators/generated.ts'
import { type ServedMachine, servedReplica } from './served-replica.ts'

type LoggedServer = ServedMachine & { readonly name: string; readonly title: string; readonly sequences: number; readonly blocks?: number }

const LOGS: readonly LoggedServer[] = [
  {
    name: 'rtxpro6000-llama-3.1-8b',
    title: 'Llama 3.1 8B, RTX PRO 6000',
    model: 'Llama-3.1-8B',
    on: 'rtx-pro-6000-server',
    sequences: 128,
  },
  {
    name: 'rtxpro6000-qwen3-32b',
    title: 'Qwen3 32B, 2 x RTX PRO 6000 (TP 2)',
    model: 'Qwen3-32B',
    on: 'rtx-pro-6000-server',
    layout: { tensor: 2, pipeline: 1, data: 1, expert: 1 },
    sequences: 128,
  },
  {
    name: 'rtxpro6000-qwen3-30b-a3b-instruct-2507',
    title: 'Qwen3 30B-A3B, 2 x RTX PRO 6000 (DP 2, EP 2)',
    model: 'Qwen3-30B-A3B',
    on: 'rtx-pro-6000-server',
    layout: { tensor: 1, pipeline: 1, data: 2, expert: 2 },
    sequences: 128,
  },
  { name: 'rtx4090-llama-3.1-8b', title: 'Llama 3.1 8B, RTX 4090', model: 'Llama-3.1-8B', on: 'rtx-4090', sequences: 256, blocks: 2588 },
]

type LogLine = {
  readonly input_toks: number
  readonly output_toks: number
  readonly arrival_time: number
  readonly queued_ts: number
  readonly first_token_ts: number
  readonly last_token_ts: number
}

/** Arrivals are on another clock than the rest; the shortest way into the queue is taken for the difference. */
function readRequests(path: string): MeasuredRequest[] {
  const lines: LogLine[] = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const clock = Math.min(...lines.map(({ queued_ts, arrival_time }) => queued_ts - arrival_time))
  return lines
    .map((line) => ({
      at_s: line.arrival_time,
      prompt: line.input_toks,
      output: line.output_toks,
      ttft_s: line.first_token_ts - line.arrival_time - clock,
      tpot_s: (line.last_token_ts - line.first_token_ts) / (line.output_toks - 1),
      latency_s: line.last_token_ts - line.arrival_time - clock,
    }))
    .toSorted((a, b) => a.at_s - b.at_s)
}

/** Relative, at p50, p90 and p99. */
type LogErrors = Readonly<Record<keyof RequestLatency, readonly number[]>>

export type ReplayedLog = {
  readonly name: string
  readonly title: string
  readonly asIs: LogErrors
  readonly factors: CostFactors
  readonly heldOut: LogErrors
}

function errorsOf(felt: readonly RequestLatency[], log: readonly MeasuredRequest[]): LogErrors {
  const of = (name: keyof RequestLatency): readonly number[] =>
    [0.5, 0.9, 0.99].map((share) => {
      const at = (each: readonly RequestLatency[]): number =>
        quantile(
          each.map((request) => request[name]),
          share,
        )
      return at(felt) / at(log) - 1
    })
  return { ttft_s: of('ttft_s'), tpot_s: of('tpot_s'), latency_s: of('latency_s') }
}

/** Those that the folder holds. */
export function replayLogs(folder: string): readonly ReplayedLog[] {
  return LOGS.flatMap((logged) => {
    const path = join(folder, 'llmservingsim', logged.name, 'requests.jsonl')
    if (!existsSync(path)) return []
    const log = readRequests(path)
    const base = servedReplica(logged)
    const copies = logged.layout?.data ?? 1
    const sizes = { sequencesMost: logged.sequences * copies, tokensPerStep: 2048 * copies, blocks: logged.blocks ?? base.blocks }
    const rule: ClusterRule = { replica: { ...base, ...sizes }, replicas: 1, router: 'round-robin' }
    const half = log.length / 2
    const factors = calibrate(rule, log, half)
    return {
      name: logged.name,
      title: logged.title,
      asIs: errorsOf(replay(rule, log, { decode: 1, prefill: 1 }), log),
      factors,
      heldOut: errorsOf(replay(rule, log, factors).slice(half), log.slice(half)),
    }
  })
}

const percentCell = (share: number): string => {
  const text = (100 * share).toFixed(1)
  return `${share < 0 || Number(text) === 0 ? '' : '+'}${text.replace('-0.0', '0.0')} %`
}
export const errorText = (errors: readonly number[]): string => errors.map(percentCell).join(' / ')

export const logTable = (folder: string): string =>
  markdownTable(
    ['log', '', 'TTFT p50 / p90 / p99', 'TPOT p50 / p90 / p99', 'end to end p50 / p90 / p99'],
    replayLogs(folder).flatMap(({ title, asIs, heldOut }) =>
      (
        [
          [title, 'as is', asIs],
          ['', 'held out', heldOut],
        ] as const
      ).map(([name, rows, { ttft_s, tpot_s, latency_s }]) => [name, rows, errorText(ttft_s), errorText(tpot_s), errorText(latency_s)]),
    ),
  )

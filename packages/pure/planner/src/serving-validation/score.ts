// Cases scored: what was predicted against what was measured. An error is relative and signed, predicted over measured less one.

import { quantile } from '@ironlaw/laws/quantile'
import { batchTime } from '../serving/batch-time.ts'
import { firstTokenInterval, servingInterval } from '../serving/interval.ts'
import { layoutText } from '../serving/layout.ts'
import { openState } from '../serving/open-state.ts'
import type { PreparedReplica } from '../serving/prepared-replica.ts'
import { decodeWork, prefillWork, steadyState } from '../serving/steady-state.ts'
import type { ServingCase } from './case.ts'
import type { MetricValues, Split } from './row.ts'

export type Metric = keyof MetricValues

export const METRICS: readonly Metric[] = ['ttft_s', 'tpot_s', 'output_tokens_per_s', 'input_tokens_per_s']

export type MetricScore = {
  readonly metric: Metric
  readonly measured: number
  readonly predicted: number
  readonly error: number
  readonly inside: boolean
}

export type ScoredCase = {
  readonly id: string
  readonly source: string
  readonly split: Split
  readonly family: string
  readonly accelerator: string
  readonly engine: string
  readonly precision: string
  readonly layout: string
  /** Each copy of the attention takes its own requests. */
  readonly attentionCopies: boolean
  readonly load: string
  readonly speculative: boolean
  readonly scores: readonly MetricScore[]
}

export type Summary = {
  readonly n: number
  readonly median: number
  readonly p90: number
  /** Median of the signed errors. */
  readonly bias: number
  /** Share of measurements inside the 90 % interval. */
  readonly coverage: number
}

export function scoredCase(asked: ServingCase, prepared: PreparedReplica): ScoredCase {
  const predicted = predictedMetrics(asked, prepared)
  const scores = METRICS.flatMap((metric): MetricScore[] => {
    const measured = asked.measured[metric]
    const value = predicted[metric]
    if (measured === undefined || measured <= 0 || value === undefined || !Number.isFinite(value)) return []
    const { low, high } =
      metric === 'ttft_s'
        ? firstTokenInterval(asked.replica, { prompt_s: prepared.step.time(prefillWork(asked.input, 1)), ttft_s: value })
        : servingInterval(asked.replica, metric, value)
    return [{ metric, measured, predicted: value, error: value / measured - 1, inside: measured >= low && measured <= high }]
  })
  const { machine, runtime, precision, layout } = asked.replica
  return {
    id: asked.id,
    source: asked.source,
    split: asked.split,
    family: asked.family,
    accelerator: machine.accelerator,
    engine: runtime.name,
    precision: precision.name,
    layout: layoutText(layout),
    attentionCopies: layout.data > 1,
    load: `${asked.load.kind} ${loadNumber(asked)} ${Math.round(asked.input)}/${Math.round(asked.output)}`,
    speculative: asked.replica.speculation !== undefined,
    scores,
  }
}

const loadNumber = ({ load }: ServingCase): string =>
  load.kind === 'rate' ? `${load.requests_per_s}/s` : 'size' in load ? String(Math.round(load.size)) : ''

/** Enough to fill any replica. */
const FLOOD = 100_000

function predictedMetrics({ load, input, output, replica, client_s = 0 }: ServingCase, prepared: PreparedReplica): MetricValues {
  const { step } = prepared
  switch (load.kind) {
    case 'batch': {
      const { prefill_s, decodeStep_s, output_tokens_per_s } = batchTime(step, { input, output }, load.size)
      return { ttft_s: prefill_s, tpot_s: decodeStep_s, output_tokens_per_s }
    }
    case 'rate': {
      const { ttft_s, tpot_s } = openState(prepared, { input, output, requests_per_s: load.requests_per_s })
      return { ttft_s: ttft_s.mean, tpot_s: tpot_s.mean }
    }
    case 'concurrency': {
      const state = steadyState(prepared, { input, output, concurrency: load.size, spread: load.spread })
      return { ...state, ttft_s: state.ttft_s + client_s }
    }
    case 'offline': {
      const { tpot_s, output_tokens_per_s } = steadyState(prepared, { input, output, concurrency: FLOOD })
      return { tpot_s, output_tokens_per_s }
    }
    case 'prefill': {
      const prompts = Math.max(1, Math.floor(replica.runtime.tokensPerStep / input)) * replica.layout.data
      return { input_tokens_per_s: (prompts * input) / step.time(prefillWork(input, prompts)) }
    }
    case 'decode':
      return { tpot_s: step.time(decodeWork(Math.max(1, load.size), input + output / 2)) / step.gain }
  }
}

/** Rows, however many figures each has: the size of a row's error is the mean of those of its figures. */
export type RowSummary = { readonly n: number; readonly median: number; readonly p90: number }

export function rowSummaryOf(rows: readonly (readonly { readonly error: number }[])[]): RowSummary | undefined {
  const sizes = rows
    .filter(({ length }) => length > 0)
    .map((figures) => figures.reduce((sum, { error }) => sum + Math.abs(error), 0) / figures.length)
    .toSorted((a, b) => a - b)
  return sizes.length === 0 ? undefined : { n: sizes.length, median: quantile(sizes, 0.5), p90: quantile(sizes, 0.9) }
}

export function summaryOf(scores: readonly MetricScore[]): Summary | undefined {
  if (scores.length === 0) return undefined
  const signed = scores.map(({ error }) => error).toSorted((a, b) => a - b)
  const sizes = signed.map(Math.abs).toSorted((a, b) => a - b)
  return {
    n: scores.length,
    median: quantile(sizes, 0.5),
    p90: quantile(sizes, 0.9),
    bias: quantile(signed, 0.5),
    coverage: scores.filter(({ inside }) => inside).length / scores.length,
  }
}

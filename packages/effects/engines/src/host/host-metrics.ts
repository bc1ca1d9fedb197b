// What a host counts, under the names that vLLM made usual (docs.vllm.ai, "Production Metrics"), so that dashboards, gateways and
// autoscalers made for it read this engine too.

import { Histogram, labelValue, metricFamily } from '@ironlaw/contracts'
import type { ServedModel, Usage, EngineVitals } from '../engine.ts'
import type { Timings } from './timings.ts'

const FIRST_TOKEN_S = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80]
const TOKEN_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
const REQUEST_S = [0.05, 0.1, 0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240]

export type FinishedReason = 'stop' | 'length' | 'abort' | 'error'

export class HostMetrics {
  readonly #firstToken = new Histogram(FIRST_TOKEN_S)
  readonly #betweenTokens = new Histogram(TOKEN_S)
  readonly #request = new Histogram(REQUEST_S)
  readonly #queue = new Histogram(FIRST_TOKEN_S)
  readonly #prefill = new Histogram(FIRST_TOKEN_S)
  readonly #decode = new Histogram(REQUEST_S)
  readonly #finished = new Map<FinishedReason, number>()
  #prompt = 0
  #cached = 0
  #generated = 0
  #refused = 0

  observeFirstToken(after_s: number): void {
    this.#firstToken.observe(after_s)
  }

  observeNextToken(after_s: number): void {
    this.#betweenTokens.observe(after_s)
  }

  observeTimings({ queue_s, prefill_s, decode_s }: Timings): void {
    this.#queue.observe(queue_s)
    this.#prefill.observe(prefill_s)
    this.#decode.observe(decode_s)
  }

  countFinished(reason: FinishedReason, took_s: number, usage: Usage | undefined): void {
    this.#finished.set(reason, (this.#finished.get(reason) ?? 0) + 1)
    this.#request.observe(took_s)
    this.#prompt += usage?.prompt_tokens ?? 0
    this.#cached += usage?.cached_tokens ?? 0
    this.#generated += usage?.completion_tokens ?? 0
  }

  countRefused(): void {
    this.#refused += 1
  }

  text({ id, context_tokens, slots }: ServedModel, { running, waiting, kv_share, prefix_queries, prefix_hits }: EngineVitals): string {
    const label = `model_name="${labelValue(id)}"`
    const singleFamily = (
      type: 'gauge' | 'counter',
      name: string,
      { help, value }: { readonly help: string; readonly value: number },
    ): string => metricFamily(name, type, { help, lines: [`${name}{${label}} ${value}\n`] })
    const histogramFamily = (name: string, help: string, histogram: Histogram): string =>
      metricFamily(name, 'histogram', { help, lines: [histogram.text(name, label)] })
    const finished = [...this.#finished].map(
      ([reason, count]) => `vllm:request_success_total{${label},finished_reason="${reason}"} ${count}\n`,
    )
    const blocks = `vllm:cache_config_info{${label},block_size="1",num_gpu_blocks="${context_tokens * slots}"} 1\n`
    return [
      singleFamily('gauge', 'vllm:num_requests_running', { help: 'Running requests', value: running }),
      singleFamily('gauge', 'vllm:num_requests_waiting', { help: 'Requests waiting for a slot', value: waiting }),
      singleFamily('gauge', 'vllm:kv_cache_usage_perc', { help: 'Share of the key-value cache in use, from 0 to 1', value: kv_share }),
      singleFamily('counter', 'vllm:prefix_cache_queries_total', {
        help: 'Prompt tokens looked up in the prefix cache',
        value: prefix_queries,
      }),
      singleFamily('counter', 'vllm:prefix_cache_hits_total', { help: 'Prompt tokens found in the prefix cache', value: prefix_hits }),
      singleFamily('counter', 'vllm:prompt_tokens_total', { help: 'Prompt tokens', value: this.#prompt }),
      singleFamily('counter', 'vllm:prompt_tokens_cached_total', { help: 'Prompt tokens that were reused', value: this.#cached }),
      singleFamily('counter', 'vllm:generation_tokens_total', { help: 'Generated tokens', value: this.#generated }),
      metricFamily('vllm:request_success_total', 'counter', { help: 'Requests that ended, by reason', lines: finished }),
      histogramFamily('vllm:time_to_first_token_seconds', 'Time from the request to its first token', this.#firstToken),
      histogramFamily('vllm:inter_token_latency_seconds', 'Time between two tokens of an answer', this.#betweenTokens),
      histogramFamily('vllm:e2e_request_latency_seconds', 'Time from the request to the end of its answer', this.#request),
      histogramFamily('vllm:request_queue_time_seconds', 'Time a request waits for a slot', this.#queue),
      histogramFamily('vllm:request_prefill_time_seconds', 'Time to process the prompt', this.#prefill),
      histogramFamily('vllm:request_decode_time_seconds', 'Time to generate the answer', this.#decode),
      metricFamily('vllm:cache_config_info', 'gauge', { help: 'Size of the key-value cache', lines: [blocks] }),
      singleFamily('counter', 'ironlaw_engine_requests_refused_total', { help: 'Requests that the engine refused', value: this.#refused }),
    ].join('')
  }
}

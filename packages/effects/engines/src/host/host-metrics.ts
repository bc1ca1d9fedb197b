// What a host counts, under the names that vLLM made usual (docs.vllm.ai, "Production Metrics"), so that dashboards, gateways and
// autoscalers made for it read this engine too.

import { Histogram } from '@ironlaw/contracts'
import type { ServedModel, Usage, Vitals } from '../engine.ts'
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

  firstToken(after_s: number): void {
    this.#firstToken.observe(after_s)
  }

  nextToken(after_s: number): void {
    this.#betweenTokens.observe(after_s)
  }

  spent({ queue_s, prefill_s, decode_s }: Timings): void {
    this.#queue.observe(queue_s)
    this.#prefill.observe(prefill_s)
    this.#decode.observe(decode_s)
  }

  finished(reason: FinishedReason, took_s: number, usage: Usage | undefined): void {
    this.#finished.set(reason, (this.#finished.get(reason) ?? 0) + 1)
    this.#request.observe(took_s)
    this.#prompt += usage?.prompt_tokens ?? 0
    this.#cached += usage?.cached_tokens ?? 0
    this.#generated += usage?.completion_tokens ?? 0
  }

  refused(): void {
    this.#refused += 1
  }

  text({ id, context_tokens, slots }: ServedModel, { running, waiting, kv_share, prefix_queries, prefix_hits }: Vitals): string {
    const label = `model_name="${id.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
    const one = (kind: 'gauge' | 'counter', name: string, value: number): string =>
      `# TYPE vllm:${name} ${kind}\nvllm:${name}${kind === 'counter' ? '_total' : ''}{${label}} ${value}\n`
    const many = (name: string, histogram: Histogram): string => `# TYPE vllm:${name} histogram\n${histogram.text(`vllm:${name}`, label)}`
    return [
      one('gauge', 'num_requests_running', running),
      one('gauge', 'num_requests_waiting', waiting),
      one('gauge', 'kv_cache_usage_perc', kv_share),
      one('counter', 'prefix_cache_queries', prefix_queries),
      one('counter', 'prefix_cache_hits', prefix_hits),
      one('counter', 'prompt_tokens', this.#prompt),
      one('counter', 'prompt_tokens_cached', this.#cached),
      one('counter', 'generation_tokens', this.#generated),
      '# TYPE vllm:request_success counter\n',
      ...[...this.#finished].map(([reason, count]) => `vllm:request_success_total{${label},finished_reason="${reason}"} ${count}\n`),
      many('time_to_first_token_seconds', this.#firstToken),
      many('inter_token_latency_seconds', this.#betweenTokens),
      many('e2e_request_latency_seconds', this.#request),
      many('request_queue_time_seconds', this.#queue),
      many('request_prefill_time_seconds', this.#prefill),
      many('request_decode_time_seconds', this.#decode),
      `# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{${label},block_size="1",num_gpu_blocks="${context_tokens * slots}"} 1\n`,
      `# TYPE ironlaw_engine_requests_refused counter\nironlaw_engine_requests_refused_total{${label}} ${this.#refused}\n`,
    ].join('')
  }
}

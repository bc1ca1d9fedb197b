// What the gateway counts, in Prometheus' text. Names follow OpenTelemetry's GenAI conventions (dots to underscores, units as suffixes)
// where they have one for the thing.

import type { Directory } from './directory.ts'
import { Histogram } from '@ironlaw/contracts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576]

type Series = {
  readonly labels: string
  readonly duration: Histogram
  readonly firstByte: Histogram
  readonly input: Histogram
  readonly output: Histogram
}

export type Counted =
  | 'retries'
  | 'hedges'
  | 'streams_cut'
  | 'clients_left'
  | 'shadows'
  | 'shadows_dropped'
  | 'cache_hits'
  | 'log_dropped'
  | 'snapshot_faults'
  | 'quota_faults'
  | 'budget_faults'
  | 'unexpected'
  | 'connections_refused'
  | 'requests_at_fault'

export type Done = {
  readonly tenant: string
  readonly model: string
  readonly operation: string
  readonly took_s: number
  readonly firstByte_s: number | undefined
  readonly prompt: number
  readonly completion: number
}

const quoted = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

export class Metrics {
  readonly #series = new Map<string, Map<string, Series>>()
  readonly #answers = new Map<string, number>()
  readonly #counts = new Map<Counted, number>()
  /** Connections of clients that are open. */
  connections = 0

  count(what: Counted, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by)
  }

  counted(what: Counted): number {
    return this.#counts.get(what) ?? 0
  }

  /** `status` and `code` come from closed lists, so the number of series is bounded. */
  answered(status: number, code: string): void {
    const labels = `http_response_status_code="${status}",error_type="${code}"`
    this.#answers.set(labels, (this.#answers.get(labels) ?? 0) + 1)
  }

  done(done: Done): void {
    const series = this.#of(done)
    series.duration.observe(done.took_s)
    if (done.firstByte_s !== undefined) series.firstByte.observe(done.firstByte_s)
    series.input.observe(done.prompt)
    series.output.observe(done.completion)
  }

  text(directory: Directory, { held_bytes }: { readonly held_bytes: number }): string {
    const all = [...this.#series.values()].flatMap((models) => [...models.values()])
    const lines = [
      ...all.map(({ labels, duration }) => duration.text('gen_ai_server_request_duration_seconds', labels)),
      ...all.map(({ labels, firstByte }) => firstByte.text('gen_ai_server_time_to_first_token_seconds', labels)),
      ...all.map(({ labels, input }) => input.text('gen_ai_client_token_usage', `${labels},gen_ai_token_type="input"`)),
      ...all.map(({ labels, output }) => output.text('gen_ai_client_token_usage', `${labels},gen_ai_token_type="output"`)),
      ...[...this.#answers].map(([labels, count]) => `ironlaw_gateway_responses_total{${labels}} ${count}\n`),
      ...[...this.#counts].map(([what, count]) => `ironlaw_gateway_${what}_total ${count}\n`),
      `ironlaw_gateway_connections ${this.connections}\n`,
      `ironlaw_gateway_held_bytes ${held_bytes}\n`,
      `ironlaw_gateway_snapshot_version ${directory.snapshot.version}\n`,
    ]
    for (const pool of directory.pools.values()) {
      lines.push(`ironlaw_gateway_requests_waiting{pool="${quoted(pool.name)}"} ${pool.queued}\n`)
      for (const { id, load, breaker } of pool.replicas) {
        const labels = `pool="${quoted(pool.name)}",replica="${quoted(id)}"`
        lines.push(`ironlaw_gateway_requests_running{${labels}} ${load.running}\n`)
        lines.push(`ironlaw_gateway_breaker_open{${labels}} ${breaker.state === 'closed' ? 0 : 1}\n`)
      }
    }
    return lines.join('')
  }

  #of({ tenant, model, operation }: Done): Series {
    const name = `${model}\n${operation}`
    let models = this.#series.get(tenant)
    if (!models) this.#series.set(tenant, (models = new Map()))
    let series = models.get(name)
    if (!series) {
      const labels = `gen_ai_operation_name="${operation}",gen_ai_request_model="${quoted(model)}",tenant="${quoted(tenant)}"`
      const [duration, firstByte] = [new Histogram(SECONDS), new Histogram(SECONDS)]
      series = { labels, duration, firstByte, input: new Histogram(TOKENS), output: new Histogram(TOKENS) }
      models.set(name, series)
    }
    return series
  }
}

// What the gateway counts, in Prometheus' text. Names follow OpenTelemetry's GenAI conventions (dots to underscores, units as suffixes)
// where they have one for the thing.

import type { Directory } from '../configuration/directory.ts'
import type { Pool } from '../admission/pool.ts'
import type { ReplicaTally } from './replica-tally.ts'
import { Histogram, labelValue, metricFamily } from '@ironlaw/contracts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576]

type Series = {
  readonly labels: string
  readonly duration: Histogram
  readonly firstByte: Histogram
  readonly input: Histogram
  readonly output: Histogram
}

/** Counters of the gateway, each with what it counts. */
const COUNTERS = {
  retries: 'Attempts after the first of a request',
  hedges: 'Second attempts sent while the first had not answered',
  streams_cut: 'Streams that ended with an error after they had begun',
  clients_left: 'Requests whose client disconnected before the answer was complete',
  shadows: 'Copies of requests sent to a revision on trial',
  shadows_dropped: 'Copies that were not sent because too many were in flight or no replica was ready',
  cache_hits: 'Requests answered from the response cache',
  log_dropped: 'Entries of the request log that could not be written',
  snapshot_faults: 'Configurations that could not be read or applied',
  quota_faults: 'Exchanges of quota shares that failed',
  profile_faults: 'Reports of what was counted of answers that failed',
  profiles_dropped: 'Hours of what was counted of answers, dropped unreported, and answers not counted for want of room',
  budget_faults: 'Requests refused because their budget could not be read',
  unexpected: 'Faults of the gateway itself',
  connections_refused: 'Connections closed because too many were open',
  requests_at_fault: 'Requests that failed on two replicas',
} as const

export type CounterName = keyof typeof COUNTERS

function poolFamilies(pools: readonly Pool[]): readonly string[] {
  const replicas = pools.flatMap(({ name, replicas: members }) =>
    members.map((replica) => ({ ...replica, labels: `pool="${labelValue(name)}",replica="${labelValue(replica.id)}"` })),
  )
  return [
    metricFamily('ironlaw_gateway_requests_waiting', 'gauge', {
      help: 'Requests waiting for a replica of a pool',
      lines: pools.map(({ name, queued }) => `ironlaw_gateway_requests_waiting{pool="${labelValue(name)}"} ${queued}\n`),
    }),
    metricFamily('ironlaw_gateway_requests_running', 'gauge', {
      help: 'Requests running on a replica',
      lines: replicas.map(({ labels, load }) => `ironlaw_gateway_requests_running{${labels}} ${load.running}\n`),
    }),
    metricFamily('ironlaw_gateway_breaker_open', 'gauge', {
      help: '1 while a replica gets no requests because it failed several in a row',
      lines: replicas.map(({ labels, breaker }) => `ironlaw_gateway_breaker_open{${labels}} ${breaker.state === 'closed' ? 0 : 1}\n`),
    }),
    metricFamily('ironlaw_gateway_replica_answers_total', 'counter', {
      help: 'Answers of a replica, by outcome',
      lines: replicas.flatMap(({ labels, tally }) =>
        Object.entries(outcomesOf(tally)).map(
          ([outcome, count]) => `ironlaw_gateway_replica_answers_total{${labels},outcome="${outcome}"} ${count}\n`,
        ),
      ),
    }),
  ]
}

const outcomesOf = ({ answers, errors, refused, empty }: ReplicaTally) => ({ answered: answers - empty, failed: errors, refused, empty })

export type FinishedRequest = {
  readonly tenant: string
  readonly model: string
  readonly operation: string
  readonly took_s: number
  readonly firstByte_s: number | undefined
  readonly prompt: number
  readonly completion: number
}

export class Metrics {
  readonly #series = new Map<string, Map<string, Series>>()
  readonly #answers = new Map<string, number>()
  readonly #counts = new Map<CounterName, number>()
  /** Connections of clients that are open. */
  connections = 0

  count(what: CounterName, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by)
  }

  counterValue(what: CounterName): number {
    return this.#counts.get(what) ?? 0
  }

  /** `status` and `code` come from closed lists, so the number of series is bounded. */
  countAnswer(status: number, code: string): void {
    const labels = `http_response_status_code="${status}",error_type="${code}"`
    this.#answers.set(labels, (this.#answers.get(labels) ?? 0) + 1)
  }

  observeRequest(done: FinishedRequest): void {
    const series = this.#of(done)
    series.duration.observe(done.took_s)
    if (done.firstByte_s !== undefined) series.firstByte.observe(done.firstByte_s)
    series.input.observe(done.prompt)
    series.output.observe(done.completion)
  }

  text(directory: Directory, { held_bytes }: { readonly held_bytes: number }): string {
    const all = [...this.#series.values()].flatMap((models) => [...models.values()])
    const counters = Object.entries(COUNTERS).map(([what, help]) => {
      const name = `ironlaw_gateway_${what}_total`
      return metricFamily(name, 'counter', { help, lines: [`${name} ${this.counterValue(what as CounterName)}\n`] })
    })
    const gauge = (name: string, help: string, value: number): string =>
      metricFamily(name, 'gauge', { help, lines: [`${name} ${value}\n`] })
    return [
      metricFamily('gen_ai_server_request_duration_seconds', 'histogram', {
        help: 'Time from the request to the end of its answer',
        lines: all.map(({ labels, duration }) => duration.text('gen_ai_server_request_duration_seconds', labels)),
      }),
      metricFamily('gen_ai_server_time_to_first_token_seconds', 'histogram', {
        help: 'Time from the request to the first byte of its answer',
        lines: all.map(({ labels, firstByte }) => firstByte.text('gen_ai_server_time_to_first_token_seconds', labels)),
      }),
      metricFamily('gen_ai_client_token_usage', 'histogram', {
        help: 'Tokens of prompts (input) and of answers (output)',
        lines: all.flatMap(({ labels, input, output }) => [
          input.text('gen_ai_client_token_usage', `${labels},gen_ai_token_type="input"`),
          output.text('gen_ai_client_token_usage', `${labels},gen_ai_token_type="output"`),
        ]),
      }),
      metricFamily('ironlaw_gateway_responses_total', 'counter', {
        help: 'Responses by status and error code',
        lines: [...this.#answers].map(([labels, count]) => `ironlaw_gateway_responses_total{${labels}} ${count}\n`),
      }),
      ...counters,
      gauge('ironlaw_gateway_connections', 'Open client connections', this.connections),
      gauge('ironlaw_gateway_held_bytes', 'Memory held for requests and answers', held_bytes),
      gauge('ironlaw_gateway_snapshot_version', 'Version of the active configuration', directory.snapshot.version),
      ...poolFamilies([...directory.pools.values()]),
    ].join('')
  }

  #of({ tenant, model, operation }: FinishedRequest): Series {
    const name = `${model}\n${operation}`
    let models = this.#series.get(tenant)
    if (!models) this.#series.set(tenant, (models = new Map()))
    let series = models.get(name)
    if (!series) {
      const labels = `gen_ai_operation_name="${operation}",gen_ai_request_model="${labelValue(model)}",tenant="${labelValue(tenant)}"`
      const [duration, firstByte] = [new Histogram(SECONDS), new Histogram(SECONDS)]
      series = { labels, duration, firstByte, input: new Histogram(TOKENS), output: new Histogram(TOKENS) }
      models.set(name, series)
    }
    return series
  }
}

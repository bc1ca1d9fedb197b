// Figures of this process in Prometheus' text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats): a few families,
// for which a client library would be more code than this. What deployments answer, and how fast, their gateways tell themselves.

import type { RunState } from '@ironlaw/contracts'
import type { DeploymentCount } from '@ironlaw/store'

export type Metrics = {
  readonly reported: (rows: number) => void
  readonly served: (request: Served) => void
  readonly text: (fleet: FleetCounts) => string
}

type FleetCounts = {
  readonly runs: ReadonlyMap<RunState, number>
  readonly deployments: readonly DeploymentCount[]
  /** Calls to shared storage that were given up and have not come back. */
  readonly hanging: number
}

type Served = { readonly operation: string; readonly status: number; readonly seconds: number }

const BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

type Series = { readonly buckets: number[]; sum: number; count: number }

export function metrics(): Metrics {
  let reports = 0
  let steps = 0
  const series = new Map<string, Series>()
  return {
    reported: (rows) => {
      reports += 1
      steps += rows
    },
    served: ({ operation, status, seconds }) => {
      const labels = `operation="${operation}",status="${status}"`
      const found = series.get(labels) ?? { buckets: BOUNDS_S.map(() => 0), sum: 0, count: 0 }
      series.set(labels, found)
      const bucket = BOUNDS_S.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) found.buckets[bucket] = (found.buckets[bucket] ?? 0) + 1
      found.sum += seconds
      found.count += 1
    },
    text: ({ runs, deployments, hanging }) =>
      [
        ...family('ironlaw_runs', 'gauge', 'Runs that have not ended'),
        ...[...runs].map(([state, count]) => `ironlaw_runs{state="${state}"} ${count}`),
        ...family('ironlaw_deployment_replicas_wanted', 'gauge', 'Replicas that a deployment shall have'),
        ...deployments.map(({ name, wanted }) => `ironlaw_deployment_replicas_wanted{deployment="${name}"} ${wanted}`),
        ...family('ironlaw_deployment_replicas', 'gauge', 'Replicas that a deployment has'),
        ...deployments.flatMap(({ name, replicas }) =>
          [...replicas].map(([state, count]) => `ironlaw_deployment_replicas{deployment="${name}",state="${state}"} ${count}`),
        ),
        ...family('ironlaw_storage_hanging_calls', 'gauge', 'Calls to shared storage that were given up and have not come back'),
        `ironlaw_storage_hanging_calls ${hanging}`,
        ...family('ironlaw_reports_total', 'counter', 'Reports of agents taken by this process'),
        `ironlaw_reports_total ${reports}`,
        ...family('ironlaw_reported_steps_total', 'counter', 'Step rows in them'),
        `ironlaw_reported_steps_total ${steps}`,
        ...family('ironlaw_http_request_duration_seconds', 'histogram', 'From the request to the end of its answer'),
        ...[...series].flatMap(([labels, each]) => histogram(labels, each)),
        '',
      ].join('\n'),
  }
}

const family = (name: string, type: string, help: string): readonly string[] => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]

function histogram(labels: string, { buckets, sum, count }: Series): readonly string[] {
  const name = 'ironlaw_http_request_duration_seconds'
  let below = 0
  const lines = buckets.map((each, index) => `${name}_bucket{${labels},le="${BOUNDS_S[index]}"} ${(below += each)}`)
  return [...lines, `${name}_bucket{${labels},le="+Inf"} ${count}`, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`]
}

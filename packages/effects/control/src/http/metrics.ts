// Figures of this process in Prometheus' text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats): a few families,
// for which a client library would be more code than this. What deployments answer, and how fast, their gateways tell themselves.

import { Histogram, labelValue, metricFamily, type RunState } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import type { DeploymentCount } from '@ironlaw/store'

export type Metrics = {
  readonly reported: (rows: number) => void
  readonly served: (request: ServedRequest) => void
  readonly text: (fleet: FleetCounts) => string
}

type FleetCounts = {
  readonly runs: ReadonlyMap<RunState, number>
  /** The newest of them, one by one. */
  readonly live: readonly RunView[]
  readonly deployments: readonly DeploymentCount[]
  /** Calls to shared storage that timed out and have not returned. */
  readonly hanging: number
}

type ServedRequest = { readonly operation: string; readonly status: number; readonly seconds: number }

const BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function metrics(): Metrics {
  let reports = 0
  let steps = 0
  const series = new Map<string, Histogram>()
  return {
    reported: (rows) => {
      reports += 1
      steps += rows
    },
    served: ({ operation, status, seconds }) => {
      const labels = `operation="${operation}",status="${status}"`
      const found = series.get(labels) ?? new Histogram(BOUNDS_S)
      series.set(labels, found)
      found.observe(seconds)
    },
    text: ({ runs, live, deployments, hanging }) => {
      const gauge = (name: string, help: string, lines: readonly string[]): string => metricFamily(name, 'gauge', { help, lines })
      const counter = (name: string, help: string, value: number): string =>
        metricFamily(name, 'counter', { help, lines: [`${name} ${value}\n`] })
      return [
        gauge(
          'ironlaw_runs',
          'Runs that have not ended, by state',
          [...runs].map(([state, count]) => `ironlaw_runs{state="${state}"} ${count}\n`),
        ),
        ...runFamilies(live),
        gauge(
          'ironlaw_deployment_replicas_wanted',
          'Desired replicas of a deployment',
          deployments.map(({ name, wanted }) => `ironlaw_deployment_replicas_wanted{deployment="${labelValue(name)}"} ${wanted}\n`),
        ),
        gauge(
          'ironlaw_deployment_replicas',
          'Replicas of a deployment, by state',
          deployments.flatMap(({ name, replicas }) =>
            [...replicas].map(
              ([state, count]) => `ironlaw_deployment_replicas{deployment="${labelValue(name)}",state="${state}"} ${count}\n`,
            ),
          ),
        ),
        gauge('ironlaw_storage_hanging_calls', 'Calls to shared storage that timed out and have not returned', [
          `ironlaw_storage_hanging_calls ${hanging}\n`,
        ]),
        counter('ironlaw_reports_total', 'Agent reports accepted by this process', reports),
        counter('ironlaw_reported_steps_total', 'Step rows in agent reports accepted by this process', steps),
        metricFamily('ironlaw_http_request_duration_seconds', 'histogram', {
          help: 'Time from the request to the end of its response',
          lines: [...series].map(([labels, each]) => each.text('ironlaw_http_request_duration_seconds', labels)),
        }),
      ].join('')
    },
  }
}

/** What a dashboard of training draws: progress, pace compared with its prediction, loss, and restarts. */
function runFamilies(live: readonly RunView[]): readonly string[] {
  const runGauge = (name: string, help: string, value: (run: RunView) => number | undefined): string =>
    metricFamily(name, 'gauge', {
      help,
      lines: live.flatMap((run) => {
        const found = value(run)
        return found === undefined
          ? []
          : [`${name}{run="${labelValue(run.id)}",name="${labelValue(run.name)}",project="${labelValue(run.project)}"} ${found}\n`]
      }),
    })
  return [
    runGauge('ironlaw_run_step', 'The last step that a run reported', ({ step }) => step),
    runGauge('ironlaw_run_steps', 'Total steps of a run', ({ steps }) => steps),
    runGauge('ironlaw_run_step_duration_seconds', 'Current duration of a step', ({ step_s }) => step_s),
    runGauge(
      'ironlaw_run_predicted_step_duration_seconds',
      'Duration of a step as the plan predicts it',
      ({ predicted_step_s }) => predicted_step_s,
    ),
    runGauge('ironlaw_run_loss', 'The last loss that a run reported', ({ loss }) => loss ?? undefined),
    runGauge('ironlaw_run_attempts', 'Attempts of a run so far', ({ attempt }) => attempt),
  ]
}

// A simulated deployment as text: what users saw, the distribution, and the resources used.

import type { ClusterRule, ServingOutcome } from '@ironlaw/simulator/serving'
import { seconds, show, showPercent } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import type { ServingScenario } from './simulate-serve-replica.ts'

type ServingSimulation = { readonly served: ServingScenario; readonly rule: ClusterRule; readonly outcome: ServingOutcome }

const BAR = 40
const BINS = 12

const showTime = (value: number): string => (value === 0 ? '0' : show(seconds(value), 's'))
const showCount = (value: number): string => Math.round(value).toLocaleString('en')

export function simulateServeText(simulated: ServingSimulation): string {
  const { served, rule, outcome } = simulated
  return [
    `${served.title}, ${rule.router}`,
    ...(served.note === undefined ? [] : [paint('dim', served.note)]),
    ...(served.notSimulated ?? []).map((each) => paint('yellow', `not simulated: ${each}`)),
    `${showCount(outcome.requests)} requests in ${showTime(outcome.duration_s)}: ${outcome.requests_per_s.toFixed(2)} requests/s, ${showCount(outcome.output_tokens_per_s)} output tokens/s`,
    '',
    latencyTable(simulated),
    ...attainmentLines(simulated),
    '',
    histogram('first token', outcome.ttft.parts(BINS)),
    '',
    histogram('further tokens', outcome.tpot.parts(BINS)),
    '',
    ...notes(outcome),
  ].join('\n')
}

/** What the plan states, without its spares, next to the simulated figures, at the requested percentile. */
function latencyTable({ served: { plan }, outcome: { ttft_s, tpot_s, latency_s } }: ServingSimulation): string {
  const rows = [
    ['first token', ttft_s, plan?.prediction.ttft_s],
    ['further tokens', tpot_s, plan?.prediction.tpot_s],
    ['whole answer', latency_s, undefined],
  ] as const
  return table(
    ['', 'mean', 'p50', 'p90', 'p99', 'longest', ...(plan ? [`planned ${plan.objectives.percentile}`] : [])],
    rows.map(([name, { mean, p50, p90, p99, most }, planned]) => [
      name,
      ...[mean, p50, p90, p99, most].map(showTime),
      ...(plan ? [planned === undefined ? '' : showTime(planned)] : []),
    ]),
    [1, 2, 3, 4, 5, 6],
  )
}

function attainmentLines({ rule: { objectives }, outcome }: ServingSimulation): string[] {
  if (!objectives) return []
  const { ttft_s, tpot_s } = objectives
  const limits = [
    Number.isFinite(ttft_s) ? `first token within ${showTime(ttft_s)}` : '',
    Number.isFinite(tpot_s) ? `each further within ${showTime(tpot_s)}` : '',
  ]
  const colour = outcome.attained >= 0.99 ? 'green' : outcome.attained >= 0.9 ? 'yellow' : 'red'
  const drawn =
    paint(colour, '█'.repeat(Math.round(BAR * outcome.attained))) + paint('dim', '░'.repeat(BAR - Math.round(BAR * outcome.attained)))
  return ['', `${drawn} ${showPercent(outcome.attained)} of requests: ${limits.filter(Boolean).join(', ')}`]
}

type HistogramBin = ReturnType<ServingOutcome['ttft']['parts']>[number]

function histogram(what: string, parts: readonly HistogramBin[]): string {
  const most = Math.max(1, ...parts.map(({ values }) => values))
  const all = Math.max(
    1,
    parts.reduce((sum, { values }) => sum + values, 0),
  )
  return table(
    [`${what} after`, 'requests', ''],
    parts.map(({ from, values }) => [
      showTime(from),
      showPercent(values / all),
      paint('cyan', '█'.repeat(Math.round((BAR * values) / most))),
    ]),
    [0, 1],
  )
}

function notes(outcome: ServingOutcome): string[] {
  const { refused, failed, retried, preemptions, cached, busy, replica_s } = outcome
  const turned = Object.entries(refused).filter(([, requests]) => requests > 0)
  return [
    `replicas were busy ${showPercent(busy)} of ${showTime(replica_s)} of replica time`,
    ...(cached > 0 ? [`${showPercent(cached)} of prompt tokens were found in the prefix cache`] : []),
    ...(preemptions > 0 ? [paint('yellow', `${showCount(preemptions)} preemptions: the KV cache is too small`)] : []),
    ...(failed + retried > 0
      ? [`replicas failed: ${showCount(failed)} answers were cut off, ${showCount(retried)} requests were retried`]
      : []),
    ...turned.map(([why, requests]) => paint('yellow', `${showCount(requests)} requests were refused: ${why}`)),
  ]
}

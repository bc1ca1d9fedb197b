// The result of the load test as tables of a page.

import { quantile } from '@ironlaw/laws/quantile'
import { showPercent } from '@ironlaw/units'
import type { Statement, TableSize } from './footprint.ts'
import type { ProbeSamples } from './probe.ts'
import { type Samples } from './samples.ts'

export type LoadMeasurement = {
  readonly live: number
  readonly history: number
  readonly every_s: number
  readonly seconds: number
  readonly machine: string
  readonly seed_s: number
  readonly reports: Samples
  readonly reports_per_s: number
  readonly flood_per_s: number
  readonly flood: Samples
  readonly probed: ProbeSamples
  readonly lags_s: readonly number[]
  readonly sizes: readonly TableSize[]
  readonly statements: readonly Statement[]
  /** Of one processor that the control plane took. */
  readonly planeShare: number
  /** While 64 senders reported as fast as they could: of a processor, and of the time in statements. */
  readonly flooded: { readonly plane: number; readonly statements: number }
}

type Remark = { readonly goal_ms?: number; readonly note?: string }

const milliseconds = (time_ms: number): string => (time_ms < 10 ? `${time_ms.toFixed(1)} ms` : `${Math.round(time_ms)} ms`)
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`

export function pageOf(measured: LoadMeasurement): string {
  const { live, history, every_s, seconds, machine, seed_s } = measured
  return [
    `${live} live runs that report every ${every_s} s, ${history} in history, ${seconds} s. ${machine}.`,
    '',
    ...times(measured),
    '',
    `Seeding the history took ${seed_s.toFixed(0)} s. The control plane used ${showPercent(measured.planeShare, 0)} of a processor; with 64 senders ${showPercent(measured.flooded.plane, 0)}, while statements ran for ${showPercent(measured.flooded.statements, 0)} of the time.`,
    '',
    ...sizes(measured),
    '',
    ...statements(measured),
    '',
  ].join('\n')
}

function times({ lags_s, probed, reports, reports_per_s, flood, flood_per_s }: LoadMeasurement): readonly string[] {
  const line = (what: string, { times_ms, failed }: Samples, { goal_ms, note }: Remark = {}): string =>
    row(
      what,
      String(times_ms.length),
      milliseconds(quantile(times_ms, 0.5)),
      milliseconds(quantile(times_ms, 0.99)),
      goal_ms === undefined ? '' : milliseconds(goal_ms),
      [...(note === undefined ? [] : [note]), ...(failed > 0 ? [`${failed} failed`] : [])].join(', '),
    )
  return [
    row('what', 'times', 'p50', 'p99', 'goal for p99', 'note'),
    row('---', '--:', '--:', '--:', '--:', '---'),
    line('look at a run, from due to handled', { times_ms: lags_s.map((each) => 1000 * each), failed: 0 }, { goal_ms: 2000 }),
    line('get a run', probed.get, { goal_ms: 20 }),
    line('list a page of 100', probed.list, { goal_ms: 50 }),
    line('ledger of the fleet, over all history', probed.ledger),
    line('report', reports, { note: `${Math.round(reports_per_s)} a second` }),
    line('report, 64 senders as fast as they can', flood, { note: `${Math.round(flood_per_s)} a second` }),
  ]
}

function sizes({ sizes: tables, history }: LoadMeasurement): readonly string[] {
  const all = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const per = (bytes: number): string => (bytes / Math.max(1, history)).toFixed(0)
  return [
    row('table', 'rows a run', 'bytes a run, with indexes'),
    row('---', '--:', '--:'),
    ...tables.map(({ name, rows, bytes }) => row(name, (rows / Math.max(1, history)).toFixed(1), per(bytes))),
    row('all', '', per(all)),
  ]
}

function statements({ statements: found, seconds }: LoadMeasurement): readonly string[] {
  return [
    row('statement', 'calls a second', 'ms a call', 'of a processor'),
    row('---', '--:', '--:', '--:'),
    ...found.map(({ text, calls, seconds: took }) =>
      row(
        `\`${text.replaceAll('|', '')}\``,
        (calls / seconds).toFixed(0),
        ((1000 * took) / calls).toFixed(2),
        `${((100 * took) / seconds).toFixed(1)} %`,
      ),
    ),
  ]
}

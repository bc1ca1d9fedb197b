// Points of the file that come from a dump of the benchmark's database. There a configuration is unique by its shape and its way of
// speculating (`configs_natural_key` of InferenceX-app), and 168 of the dump's 171 shapes have one configuration, the other three being of a model
// that was never run speculating, though the benchmark measured many shapes both ways. Of 532 points of the other files that are the same
// measurement, 526 fit a published configuration that does not speculate, 2 one that does. So these points, and whatever is the same
// measurement, do not speculate, and their shape is as the dump writes it.

import type { Layout } from '../serving/layout.ts'
import { type CsvRow, csvRows, numberOf } from './csv.ts'

export type Dump = {
  /** The same measurement in the dump. */
  readonly twin: (row: CsvRow) => CsvRow | undefined
  /** Whether another measurement of the same shape, load and day is in the dump, while this one is not. */
  readonly besideTwin: (row: CsvRow) => boolean
}

/** Two means of thousands of requests to sixteen digits. */
const measurementOf = (row: CsvRow): string => `${row['silicon_ttft_ms']} ${row['silicon_tpot_ms']}`

export function dumpOf(text: string): Dump {
  const rows = csvRows(text)
  const dumped = new Map(
    rows.flatMap((row) => (row['silicon_data_source']?.startsWith('db-dump') ? [[measurementOf(row), row] as const] : [])),
  )
  const twin = (row: CsvRow): CsvRow | undefined => dumped.get(measurementOf(row))
  const keys = new Set(rows.filter((row) => twin(row) !== undefined).map(keyOf))
  return { twin, besideTwin: (row) => twin(row) === undefined && keys.has(keyOf(row)) }
}

/** All that a line states except its name, the part of its origin other than day and load, and the measurements. */
function keyOf(row: CsvRow): string {
  const origin = row['silicon_data_source'] ?? ''
  const stated = Object.entries(row).flatMap(([name, value]) => (/^id$|^silicon_/.test(name) ? [] : [value]))
  return [/measured=([\d-]+)/.exec(origin)?.[1], /silicon_concurrency=([\d.]+)/.exec(origin)?.[1], ...stated].join('|')
}

export function dumpedPlacement(row: CsvRow): { readonly layout: Layout; readonly workers: number; readonly decodeOnly: boolean } {
  const decodeOnly = row['mode'] !== 'agg'
  return { layout: layoutOf(row, decodeOnly ? 'decode_' : ''), workers: numberOf(row, 'decode_num_workers') || 1, decodeOnly }
}

const NODE = 8

/** Where attention has copies and experts are divided both ways, the ranks of both are multiplied: 64 on a node of 8 are 8 that do both. */
function layoutOf(row: CsvRow, side: string): Layout {
  const of = (name: string): number => numberOf(row, side + name) || 1
  const stated = of('tp_size') * of('attention_dp_size')
  const ranks = stated > NODE && of('moe_tp_size') > 1 && of('moe_ep_size') > 1 ? of('moe_tp_size') : stated
  const data = Math.min(of('attention_dp_size'), ranks)
  return { tensor: ranks / data, pipeline: 1, data, expert: Math.min(of('moe_ep_size'), ranks) }
}

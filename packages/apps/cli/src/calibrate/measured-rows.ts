// Finds the lines of a measuring job among its other output.

import type { MachineRow, MeasuredRow } from '@ironlaw/policies/calibration'
import * as z from 'zod'

const MARK = 'ironlaw-measured '

const count = z.int().positive()
const seconds = z.record(z.string(), z.array(z.number().positive()).min(1))
const shared = { ranks: count, seconds }
const layer = { sequences: count, length: count, width: count, heads: count, kv_heads: count }

const ROW = z.discriminatedUnion('measured', [
  z.object({ measured: z.literal('product'), m: count, n: count, k: count, ...shared }),
  z.object({ measured: z.literal('attention'), way: z.enum(['forward', 'both']), ...layer, ...shared }),
  z.object({ measured: z.literal('layer'), ...layer, inner: count, layers: count, ...shared }),
  z.object({ measured: z.literal('launch'), way: z.enum(['forward', 'both']), layers: count, ...shared }),
  z.object({ measured: z.literal('copy'), bytes: count, ...shared }),
  z.object({ measured: z.literal('staging'), bytes: count, ...shared }),
  z.object({ measured: z.literal('optimizer'), elements: count, ...shared }),
  z.object({
    measured: z.literal('collective'),
    name: z.enum(['all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all']),
    bytes: count,
    nodes: count,
    ...shared,
  }),
  z.object({ measured: z.literal('storage'), way: z.enum(['write', 'read']), bytes: count, ...shared }),
])

const MACHINE = z.object({
  measured: z.literal('machine'),
  device: z.string(),
  processors: count,
  element_bytes: count,
  backend: z.string(),
  torch: z.string(),
})

const END = z.object({ measured: z.literal('end'), rows: z.int() })

export type MeasuredLine = MachineRow | MeasuredRow | z.infer<typeof END>

const LINE = z.union([MACHINE, END, ROW])

/** Undefined for any other line. */
export const measuredLine = (line: string): MeasuredLine | undefined =>
  line.startsWith(MARK) ? LINE.parse(JSON.parse(line.slice(MARK.length))) : undefined

export type Measurements = { readonly machine: MachineRow; readonly rows: readonly MeasuredRow[] }

/** Of the last attempt. Undefined until it has ended: partial measurements would look like a machine that lacks the rest. */
export function measurementsOf(all: readonly MeasuredLine[]): Measurements | undefined {
  const lines = all.slice(all.findLastIndex((line) => line.measured === 'machine'))
  const machine = lines.find((line) => line.measured === 'machine')
  const end = lines.find((line) => line.measured === 'end')
  const rows = lines.filter((line) => line.measured !== 'machine').filter((line) => line.measured !== 'end')
  return machine && end?.rows === rows.length ? { machine, rows } : undefined
}

/** All such lines in a text. */
export const measuredText = (text: string): Measurements | undefined =>
  measurementsOf(text.split('\n').flatMap((line) => measuredLine(line) ?? []))

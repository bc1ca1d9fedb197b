// A range of values for one field of a spec: `fleet.link=400Gb/s..1600Gb/s`, `fleet.count=1024..16384`. Steps are equal ratios, because what
// people vary spans orders of magnitude; whole numbers double.

import { IronlawError } from '@ironlaw/contracts'

export type Sweep = { readonly path: string; readonly values: readonly (string | number)[] }

const POINTS = 6

export function sweepFrom(text: string): Sweep {
  const [path = '', range = ''] = text.split(/=(.*)/s)
  const [from = '', to = ''] = range.split('..')
  const [low, high] = [amount(from), amount(to)]
  if (path === '' || !low || !high || low.unit !== high.unit || low.value <= 0 || high.value <= low.value)
    throw new IronlawError('IL_USAGE', {
      problem: `--set: "${text}" is not a range such as fleet.link=400Gb/s..1600Gb/s or fleet.count=1024..16384`,
      command: 'whatif',
    })
  return {
    path,
    values: low.unit === '' ? doublings(low.value, high.value) : ratios(low.value, high.value).map((value) => `${value} ${low.unit}`),
  }
}

function amount(text: string): { readonly value: number; readonly unit: string } | undefined {
  const match = /^\s*(\$?)([\d.]+)\s*(.*)$/.exec(text)
  if (!match) return undefined
  const unit = (match[3] ?? '').trim()
  return { value: Number(match[2]), unit: match[1] === '$' ? `USD${unit}` : unit }
}

function doublings(low: number, high: number): number[] {
  const values: number[] = []
  for (let value = low; value < high; value *= 2) values.push(value)
  return [...values, high]
}

const ratios = (low: number, high: number): number[] =>
  Array.from({ length: POINTS }, (_, index) => Number((low * (high / low) ** (index / (POINTS - 1))).toPrecision(4)))

/** A copy of a document with one field set, by path. */
export function withField(document: unknown, path: string, value: string | number): unknown {
  const [first = '', ...rest] = path.split('.')
  const object = (typeof document === 'object' && document !== null ? document : {}) as Record<string, unknown>
  return { ...object, [first]: rest.length === 0 ? value : withField(object[first], rest.join('.'), value) }
}

// Values for one field of a spec: a range such as `fleet.link=400Gb/s..1600Gb/s` or `fleet.count=1024..16384`, or a list such as
// `precision=bf16-mixed,fp8`. The steps of a range are equal ratios, because typical ranges span orders of magnitude; whole numbers and
// sequence lengths double.

import { IronlawError, readSequence } from '@ironlaw/contracts'

export type FieldValues = { readonly path: string; readonly values: readonly (string | number)[] }

const POINTS = 6

export function fieldValues(text: string): FieldValues {
  const [path = '', range = ''] = text.split(/=(.*)/s)
  if (path !== '' && range.includes(',') && !range.includes('..')) return { path, values: range.split(',').map(listedValue) }
  const [from = '', to = ''] = range.split('..')
  const read = path === 'sequence' ? length : amount
  const [low, high] = [read(from), read(to)]
  if (path === '' || !low || !high || low.unit !== high.unit || low.value <= 0 || high.value <= low.value)
    throw new IronlawError('IL_USAGE', {
      problem: `--set: "${text}" is not a range such as fleet.count=1024..16384 or fleet.link=400Gb/s..1600Gb/s, nor a list such as precision=bf16-mixed,fp8`,
      command: 'whatif',
    })
  return {
    path,
    values: low.unit === '' ? doublings(low.value, high.value) : ratios(low.value, high.value).map((value) => `${value} ${low.unit}`),
  }
}

const listedValue = (text: string): string | number => (/^\s*[\d.]+\s*$/.test(text) ? Number(text) : text.trim())

function length(text: string): ReturnType<typeof amount> {
  const read = readSequence(text)
  return read.ok ? { value: read.value, unit: '' } : undefined
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
  if (Array.isArray(document))
    return document.map((each: unknown, index) =>
      String(index) !== first ? each : rest.length === 0 ? value : withField(each, rest.join('.'), value),
    )
  const object = (typeof document === 'object' && document !== null ? document : {}) as Record<string, unknown>
  return { ...object, [first]: rest.length === 0 ? value : withField(object[first], rest.join('.'), value) }
}

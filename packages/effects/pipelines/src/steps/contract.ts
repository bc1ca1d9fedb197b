// A contract with a source: rules for each record, and for the source as a whole. Pure: figures of units add up in any order.

import type { FieldFigures } from '@ironlaw/contracts/data-figures'
import type { DataContract } from '@ironlaw/contracts/data-spec'
import type { Fields } from '../unit.ts'

type FieldRule = DataContract['fields'][string]

export type Violation = {
  /** Such as `score.most`. */
  readonly rule: string
  readonly problem: string
}

/** The first rule that a record violates. */
export type RecordRules = (fields: Fields) => Violation | undefined

export function recordRules({ fields: rules }: DataContract): RecordRules {
  const checks = Object.entries(rules).map(([name, rule]) => [name, fieldCheck(name, rule)] as const)
  return (fields) => {
    for (const [name, check] of checks) {
      const violation = check(Object.hasOwn(fields, name) ? fields[name] : undefined)
      if (violation) return violation
    }
    return undefined
  }
}

type Check = (value: unknown) => Violation | undefined

function fieldCheck(name: string, rule: FieldRule): Check {
  const violated = (of: string, problem: string): Violation => ({ rule: `${name}.${of}`, problem: `${name} ${problem}` })
  const allowed = rule.oneOf && new Set<unknown>(rule.oneOf)
  const matches = rule.matches === undefined ? undefined : new RegExp(rule.matches, 'u')
  const without = rule.without === undefined ? undefined : new RegExp(rule.without, 'u')
  return (value) => {
    if (value === undefined || value === null) return rule.required ? violated('required', 'is missing') : undefined
    if (rule.type !== undefined && !isOfType(value, rule.type)) return violated('type', `is ${excerpt(value)}, not of type ${rule.type}`)
    const size = sizeOf(value)
    const noun = typeof value === 'string' ? ' characters' : Array.isArray(value) ? ' elements' : ''
    if (rule.least !== undefined && !(size >= rule.least)) return violated('least', `has ${size}${noun}, less than ${rule.least}`)
    if (rule.most !== undefined && !(size <= rule.most)) return violated('most', `has ${size}${noun}, more than ${rule.most}`)
    if (allowed?.has(value) === false) return violated('oneOf', `is ${excerpt(value)}, which is not among the values allowed`)
    if (matches && !(typeof value === 'string' && matches.test(value)))
      return violated('matches', `is ${excerpt(value)}, which does not match ${rule.matches}`)
    if (without && typeof value === 'string' && without.test(value))
      return violated('without', `holds ${excerpt(without.exec(value)?.[0])}, which matches ${rule.without}`)
    return undefined
  }
}

const MOST_SHOWN = 60

const excerpt = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}

function isOfType(value: unknown, type: NonNullable<FieldRule['type']>): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && !Array.isArray(value)
  return typeof value === type
}

/** The number itself, or how long a string or a list is; nothing compares with the rest. */
const sizeOf = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'string' || Array.isArray(value) ? value.length : Number.NaN

export const NO_FIGURES: FieldFigures = { records: 0, missing: 0, measured: 0, sum: 0 }

export function addRecord(figures: FieldFigures, value: unknown): FieldFigures {
  const size = sizeOf(value)
  const isMissing = value === undefined || value === null
  const isMeasured = !Number.isNaN(size)
  return {
    records: figures.records + 1,
    missing: figures.missing + (isMissing ? 1 : 0),
    measured: figures.measured + (isMeasured ? 1 : 0),
    sum: figures.sum + (isMeasured ? size : 0),
  }
}

export const addFigures = (a: FieldFigures, b: FieldFigures): FieldFigures => ({
  records: a.records + b.records,
  missing: a.missing + b.missing,
  measured: a.measured + b.measured,
  sum: a.sum + b.sum,
})

type Statistic = DataContract['statistics'][number]

/** The rule for a source as a whole that its figures violate. */
export function violatedStatistic({ field, mean, missing }: Statistic, figures: FieldFigures): Violation | undefined {
  const share = figures.records === 0 ? 0 : figures.missing / figures.records
  if (missing !== undefined && share > missing)
    return { rule: `${field}.missing`, problem: `${percent(share)} of the records have no ${field}, more than ${percent(missing)}` }
  if (mean !== undefined && figures.measured > 0) {
    const found = figures.sum / figures.measured
    if (found < mean[0] || found > mean[1])
      return {
        rule: `${field}.mean`,
        problem: `the mean of ${field} is ${Number(found.toPrecision(4))}, not between ${mean[0]} and ${mean[1]}`,
      }
  }
  return undefined
}

export const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`

// The gateway's command line. Numbers are checked here: NaN would become a time limit that never passes or a memory limit never reached.

import { hostname } from 'node:os'

export const FLAGS = {
  snapshot: { type: 'string' },
  /** A control plane that provides the snapshot and receives the counts, instead of a file or URL. */
  control: { type: 'string' },
  id: { type: 'string', default: hostname() },
  state: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '8080' },
  'admin-host': { type: 'string', default: '127.0.0.1' },
  'admin-port': { type: 'string', default: '8081' },
  database: { type: 'string' },
  /** Holds the URL of the database, which may hold a password. */
  'database-file': { type: 'string' },
  'drain-s': { type: 'string', default: '30' },
  /** Refuse requests when the control plane has not confirmed the configuration for longer. */
  'max-snapshot-age-s': { type: 'string' },
  'max-connections': { type: 'string' },
  'held-mib': { type: 'string' },
} as const

type Range = { readonly least: number; readonly most?: number; readonly isWhole?: boolean }

const NUMBERS = {
  port: { least: 0, most: 65_535, isWhole: true },
  'admin-port': { least: 0, most: 65_535, isWhole: true },
  'drain-s': { least: 0 },
  'max-snapshot-age-s': { least: 0 },
  'max-connections': { least: 1, isWhole: true },
  'held-mib': { least: 1 },
} as const satisfies Partial<Record<keyof typeof FLAGS, Range>>

export type NumberFlag = keyof typeof NUMBERS

/** What is wrong with the flags, a line each. */
export function flagProblems(values: Readonly<Partial<Record<NumberFlag | 'control', string>>>): readonly string[] {
  const { control } = values
  const wrong = Object.entries<Range>(NUMBERS).flatMap(([name, range]) => {
    const text = Object.entries(values).find(([flag]) => flag === name)?.[1]
    return text === undefined || isIn(range, text) ? [] : [`--${name} ${text}: expected ${rangeText(range)}`]
  })
  return control === undefined || URL.canParse(control)
    ? wrong
    : [...wrong, `--control ${control}: expected a URL, such as http://127.0.0.1:7600`]
}

function isIn({ least, most = Number.MAX_SAFE_INTEGER, isWhole = false }: Range, text: string): boolean {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return value >= least && value <= most && (!isWhole || Number.isInteger(value))
}

const rangeText = ({ least, most, isWhole = false }: Range): string =>
  `a ${isWhole ? 'whole ' : ''}number ${most === undefined ? `of at least ${least}` : `from ${least} to ${most}`}`

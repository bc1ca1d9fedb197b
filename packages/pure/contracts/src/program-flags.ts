// The flags of the programs that the command line starts: declared once, shown by the command, checked by the program.

import { IronlawError } from './error.ts'

export type NumberRange = { readonly least: number; readonly most?: number; readonly isWhole?: boolean }

export type Flag = {
  readonly help: string
  /** Stands for the value in help; a switch has none. */
  readonly value?: string
  /** The value is a number in it. */
  readonly range?: NumberRange
  readonly default?: string | number
  /** Describes a default that depends on the machine. */
  readonly defaultText?: string
  /** The environment variable that replaces the default. */
  readonly variable?: string
  readonly required?: true
  /** A former name: accepted, and not in help. */
  readonly hidden?: true
}

export type FlagTable = Readonly<Record<string, Flag>>

type IsCertain = { readonly default: string | number } | { readonly required: true }

type FlagValue<One extends Flag> = One extends { readonly value: string }
  ? (One extends { readonly range: NumberRange } ? number : string) | (One extends IsCertain ? never : undefined)
  : boolean

export type FlagValues<Table extends FlagTable> = { readonly [Name in keyof Table]: FlagValue<Table[Name]> }

/** For `parseArgs` of Node. */
export const parseOptions = (table: FlagTable): Record<string, { readonly type: 'string' | 'boolean' }> =>
  Object.fromEntries(Object.entries(table).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]))

export type GivenFlags = {
  /** The command in messages, such as "gateway". */
  readonly command: string
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Flags before environment before defaults. Throws an error that names every flag that is missing or wrong. */
export function readFlags<const Table extends FlagTable>(table: Table, { command, values, environment }: GivenFlags): FlagValues<Table> {
  const entries = Object.entries<Flag>(table).map(([name, flag]) => {
    const text = values[name] ?? (flag.variable === undefined ? undefined : environment[flag.variable]) ?? flag.default
    return { name, flag, text: flag.value === undefined ? text === true : text }
  })
  const problems = entries.flatMap(({ name, flag, text }) => problemOf(name, flag, text) ?? [])
  if (problems.length > 0) throw new IronlawError('IL_USAGE', { problem: problems.join('; '), command })
  const read = entries.map(({ name, flag, text }) => [name, flag.range && text !== undefined ? Number(text) : text])
  return Object.fromEntries(read) as FlagValues<Table>
}

function problemOf(name: string, { range, required }: Flag, text: string | number | boolean | undefined): string | undefined {
  if (text === undefined) return required ? `--${name} is missing` : undefined
  return range === undefined || isIn(range, String(text)) ? undefined : `--${name} ${text}: expected ${rangeText(range)}`
}

/** NaN would become a time limit that never passes or a memory limit that is never reached. */
function isIn({ least, most = Number.MAX_SAFE_INTEGER, isWhole = false }: NumberRange, text: string): boolean {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return value >= least && value <= most && (!isWhole || Number.isInteger(value))
}

const rangeText = ({ least, most, isWhole = false }: NumberRange): string =>
  `a ${isWhole ? 'whole ' : ''}number ${most === undefined ? `of at least ${least}` : `from ${least} to ${most}`}`

/** As help shows it. */
export function flagHelp({ help, variable, defaultText, default: fallback }: Flag): string {
  const defaults = [variable, defaultText ?? fallback].filter((text) => text !== undefined)
  return defaults.length === 0 ? help : `${help} (default: ${defaults.join(' or ')})`
}

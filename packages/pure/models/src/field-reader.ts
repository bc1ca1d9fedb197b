// Reads fields of a configuration from outside. The first bad field is remembered with its path and the
// reader goes on with a harmless stand-in, so that importers read like a list of fields instead of a ladder of
// results; `problem` is looked at once, at the end. Exceptions were rejected: a refusal is an answer.

export type Refusal = { readonly field: string; readonly problem: string }

type Names = string | readonly string[]

export class FieldReader {
  readonly #config: Readonly<Record<string, unknown>>
  readonly #path: string
  readonly #log: { problem: Refusal | undefined; readonly warnings: string[] }

  constructor(config: Readonly<Record<string, unknown>>, path = '', log?: { problem: Refusal | undefined; readonly warnings: string[] }) {
    this.#config = config
    this.#path = path
    this.#log = log ?? { problem: undefined, warnings: [] }
  }

  get problem(): Refusal | undefined {
    return this.#log.problem
  }

  get warnings(): readonly string[] {
    return this.#log.warnings
  }

  has(name: string): boolean {
    return this.#config[name] !== undefined && this.#config[name] !== null
  }

  /** A whole number of at least 1. Several names are synonyms; the first one present is read. */
  count(names: Names, fallback?: number): number {
    return this.#readWhole(names, { least: 1, fallback })
  }

  /** A whole number of at least 0. */
  size(names: Names, fallback?: number): number {
    return this.#readWhole(names, { least: 0, fallback })
  }

  /** A number of layers: bounded, because lists of that length are made. */
  layerCount(names: Names, fallback?: number): number {
    return this.#readWhole(names, { least: 1, fallback, most: MOST_LAYERS })
  }

  flag(names: Names, fallback: boolean): boolean {
    const [name, value] = this.#find(names)
    if (value === undefined) return fallback
    if (typeof value === 'boolean') return value
    this.refuse(name, `expected true or false, found ${shownValue(value)}`)
    return fallback
  }

  text(names: Names, fallback?: string): string {
    const [name, value] = this.#find(names)
    if (typeof value === 'string') return value
    if (value === undefined && fallback !== undefined) return fallback
    this.refuse(name, value === undefined ? 'is missing' : `expected text, found ${shownValue(value)}`)
    return ''
  }

  counts(names: Names, fallback?: readonly number[]): readonly number[] {
    const [name, value] = this.#find(names)
    if (value === undefined && fallback) return fallback
    if (value === undefined) this.refuse(name, 'is missing')
    else if (!Array.isArray(value) || value.length === 0) this.refuse(name, `expected a list of whole numbers, found ${shownValue(value)}`)
    else return value.map((item: unknown, index) => this.#wholeNumber(`${name}[${index}]`, item, 0))
    return [1]
  }

  /** Whole numbers; absent and empty lists are both empty. */
  indices(name: string): readonly number[] {
    const value = this.#config[name] ?? []
    if (Array.isArray(value)) return value.map((item: unknown, index) => this.#wholeNumber(`${name}[${index}]`, item, 0))
    this.refuse(name, `expected a list of whole numbers, found ${shownValue(value)}`)
    return []
  }

  texts(names: Names): readonly string[] | undefined {
    const [name, value] = this.#find(names)
    if (value === undefined) return undefined
    if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value
    this.refuse(name, `expected a list of names, found ${shownValue(value)}`)
    return undefined
  }

  child(name: string): FieldReader {
    const value = this.#config[name]
    if (isRecord(value)) return new FieldReader(value, `${this.#path}${name}.`, this.#log)
    this.refuse(name, value === undefined ? 'is missing' : `expected an object, found ${shownValue(value)}`)
    return new FieldReader({}, `${this.#path}${name}.`, this.#log)
  }

  /** A number in (0, 1]. */
  fraction(name: string, fallback: number): number {
    const value = this.#config[name] ?? fallback
    if (typeof value === 'number' && value > 0 && value <= 1) return value
    this.refuse(name, `expected a number above 0 and at most 1, found ${shownValue(value)}`)
    return fallback
  }

  /** Written down as null, which switches a feature off, where leaving it out means the default. */
  isNull(name: string): boolean {
    return this.#config[name] === null
  }

  is(name: string, value: string): boolean {
    return this.#config[name] === value
  }

  isList(name: string): boolean {
    return Array.isArray(this.#config[name])
  }

  /** Number of classes of a classifier; 0 when the config does not state it. */
  labels(): number {
    const names = this.#config['id2label']
    return isRecord(names) ? Object.keys(names).length : this.size('num_labels', 0)
  }

  /** The same config with some fields replaced. */
  with(fields: Readonly<Record<string, unknown>>): FieldReader {
    return new FieldReader({ ...this.#config, ...fields }, this.#path, this.#log)
  }

  /** The same config with some absent fields filled in. */
  withDefaults(fields: Readonly<Record<string, unknown>>): FieldReader {
    return new FieldReader({ ...fields, ...this.#config }, this.#path, this.#log)
  }

  refuse(field: string, problem: string): void {
    this.#log.problem ??= { field: this.#path + field, problem }
  }

  warn(warning: string): void {
    this.#log.warnings.push(warning)
  }

  #find(names: Names): readonly [string, unknown] {
    const list = typeof names === 'string' ? [names] : names
    const name = list.find((candidate) => this.has(candidate)) ?? list[0] ?? ''
    return [name, this.#config[name] ?? undefined]
  }

  #readWhole(names: Names, { least, fallback, most = LARGEST }: { least: number; fallback: number | undefined; most?: number }): number {
    const [name, value] = this.#find(names)
    if (typeof value === 'number' && value > most) this.refuse(name, `${value} is more than any model has, ${most}`)
    else if (value !== undefined) return this.#wholeNumber(name, value, least)
    else if (fallback !== undefined) return fallback
    else this.refuse(name, 'is missing')
    return 1
  }

  #wholeNumber(name: string, value: unknown, least: number): number {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
    this.refuse(name, `expected a whole number of at least ${least}, found ${shownValue(value)}`)
    return 1
  }
}

/** No dimension of a real model comes near; a product of three stays an exact double for plausible inputs. */
const LARGEST = 1e12
const MOST_LAYERS = 10_000

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Never more than the outermost level: a value of any depth would run the writer out of stack. */
const shownValue = (value: unknown): string => {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(outermost(value)) ?? String(value))
  return text.length > 40 ? `${text.slice(0, 37)}...` : text
}

const MOST_SHOWN = 40

const outermost = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, MOST_SHOWN).map(leaf)
  return isRecord(value)
    ? Object.fromEntries(
        Object.entries(value)
          .slice(0, MOST_SHOWN)
          .map(([name, one]) => [name, leaf(one)]),
      )
    : value
}

const leaf = (value: unknown): unknown => (Array.isArray(value) ? '[...]' : isRecord(value) ? '{...}' : value)

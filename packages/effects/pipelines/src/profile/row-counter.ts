// Counts rows. How a value is counted depends on the value alone and never on those before it, so that any division of the rows gives the same sums.

import { hash } from 'node:crypto'
import { MOST_FEATURES, type Profile } from '@ironlaw/contracts/profile'
import { ProfileCounter, projections, scriptOf } from '@ironlaw/policies/profile'
import type { Fields } from '../unit.ts'
import { dateWords } from './date-words.ts'
import { ENDINGS, featureName, PROJECTIONS } from './feature-name.ts'

/** Levels of names: `a.b.c`. Deeper objects count as present. */
const MOST_LEVELS = 3
/** A string of more characters is text, and has a script; others are words, and have a bucket. */
const MOST_WORD = 40
const BUCKETS = 64
/** Buckets that are remembered: categories repeat. */
const MOST_REMEMBERED = 10_000

/** A reader of Parquet gives integers beyond what a number holds as text, one of JSON as numbers. */
const LARGE_INTEGER = /^-?[1-9]\d{15,19}$/

type Column = {
  readonly path: readonly string[]
  readonly name: string
  /** Else it only leads to chosen ones. */
  readonly isCounted: boolean
  readonly children: Map<string, Column>
  /** By ending. */
  readonly features: Map<string, string>
}

export class RowCounter {
  /** Of the chosen columns, those that some row had. */
  readonly found = new Set<string>()
  /** The column that was one too many. */
  beyond: string | undefined
  readonly #counter = new ProfileCounter()
  readonly #root: Column = { path: [], name: '', isCounted: false, children: new Map(), features: new Map() }
  #features = 0
  readonly #buckets = new Map<string, string>()
  readonly #columns: readonly string[] | undefined

  /** @param columns paths with dots; all where there are none */
  constructor(columns?: readonly string[]) {
    this.#columns = columns
  }

  countRow(fields: Fields): void {
    this.#counter.rows += 1
    this.#countObject(this.#root, fields)
  }

  profile(): Profile {
    return this.#counter.profile()
  }

  #countObject(parent: Column, fields: Fields): void {
    for (const key of Object.keys(fields)) {
      const column = parent.children.get(key) ?? this.#newColumn(parent, key)
      if (column) this.#countValue(column, fields[key])
      if (this.beyond !== undefined) return
    }
  }

  /** Undefined where it was not chosen, and then nothing of it is kept. */
  #newColumn(parent: Column, key: string): Column | undefined {
    const path = [...parent.path, key]
    const dotted = path.join('.')
    const chosen = this.#columns?.find((each) => each === dotted || dotted.startsWith(`${each}.`))
    const isCounted = this.#columns === undefined || chosen !== undefined
    const isLeading = this.#columns?.some((each) => each.startsWith(`${dotted}.`)) ?? false
    if (!isCounted && !isLeading) return undefined
    if (chosen !== undefined) this.found.add(chosen)
    const column: Column = { path, name: featureName(path), isCounted, children: new Map(), features: new Map() }
    parent.children.set(key, column)
    return column
  }

  #countValue(column: Column, value: unknown): void {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (column.isCounted) this.#countPlain(column, value)
    if (isObject && column.path.length < MOST_LEVELS) this.#countObject(column, value as Fields)
  }

  #countPlain(column: Column, value: unknown): void {
    const isMissing = value === undefined || value === null || Number.isNaN(value)
    this.#word(column, 'present', isMissing ? 'no' : 'yes')
    if (isMissing) return
    if (typeof value === 'number') this.#number(column, '', value)
    else if (typeof value === 'boolean') this.#word(column, 'boolean', String(value))
    else if (typeof value === 'string') this.#countText(column, value)
    else if (Array.isArray(value)) this.#countList(column, value)
  }

  #countText(column: Column, text: string): void {
    if (LARGE_INTEGER.test(text) && !Number.isSafeInteger(Number(text))) return this.#number(column, '', Number(text))
    const date = dateWords(text)
    if (date) {
      this.#word(column, 'year', date.year)
      this.#word(column, 'month', date.month)
      this.#word(column, 'weekday', date.weekday)
      if (date.hour !== undefined) this.#word(column, 'hour', date.hour)
      return undefined
    }
    const characters = lengthOf(text)
    this.#number(column, ENDINGS.length, characters)
    return characters > MOST_WORD ? this.#word(column, 'script', scriptOf(text)) : this.#word(column, 'word', this.#bucketOf(text))
  }

  #countList(column: Column, list: readonly unknown[]): void {
    this.#number(column, ENDINGS.items, list.length)
    for (const [index, value] of (projections(list) ?? []).entries()) this.#number(column, PROJECTIONS[index] as string, value)
  }

  #bucketOf(text: string): string {
    let bucket = this.#buckets.get(text)
    if (bucket === undefined) {
      bucket = `#${Number.parseInt(hash('sha256', text).slice(0, 2), 16) % BUCKETS}`
      if (this.#buckets.size === MOST_REMEMBERED) this.#buckets.clear()
      this.#buckets.set(text, bucket)
    }
    return bucket
  }

  #number(column: Column, ending: string, value: number): void {
    const feature = this.#featureOf(column, ending)
    if (feature !== undefined) this.#counter.countNumber(feature, value)
  }

  #word(column: Column, ending: keyof typeof ENDINGS, word: string): void {
    const feature = this.#featureOf(column, ENDINGS[ending])
    if (feature !== undefined) this.#counter.countWord(feature, word)
  }

  /** Undefined where there is no room for it. A name is put together once: it is looked up for every value. */
  #featureOf(column: Column, ending: string): string | undefined {
    const known = column.features.get(ending)
    if (known !== undefined) return known
    if (this.#features === MOST_FEATURES) {
      this.beyond ??= column.path.join('.')
      return undefined
    }
    const feature = `${column.name}${ending}`
    this.#features += 1
    column.features.set(ending, feature)
    return feature
  }
}

/** In characters, where JavaScript counts some as two. */
function lengthOf(text: string): number {
  let length = text.length
  for (let index = 0; index < text.length; index += 1) if ((text.charCodeAt(index) & 0xfc_00) === 0xdc_00) length -= 1
  return length
}

// Names of features, from names of columns. What is counted of a column in different ways has endings of its own, and no column can take a name
// with such an ending: then one name is always counted in one way, whatever the rows hold and in whatever order they come.

import { hash } from 'node:crypto'
import { PRESENT } from '@ironlaw/policies/profile'

export const ENDINGS = {
  present: PRESENT,
  boolean: '.boolean',
  word: '.word',
  length: '.length',
  script: '.script',
  items: '.items',
  year: '.year',
  month: '.month',
  weekday: '.weekday',
  hour: '.hour',
} as const

/** Of the directions that a list of numbers is projected on. */
export const PROJECTIONS = ['-1', '-2', '-3', '-4'] as const

const AS_IT_IS = /^[A-Za-z0-9_][\w-]*$/
const TAKEN = new Set(Object.values(ENDINGS).map((ending) => ending.slice(1)))

/** With the longest ending it has to be within the 100 characters of a feature. */
const MOST_CHARACTERS = 90
const DIGITS = 8

/** @param path keys of nested objects, from the outermost on */
export function featureName(path: readonly string[]): string {
  const name = path.map((key, level) => (isFree(key, level) ? key : withDigest(readable(key), key))).join('.')
  return name.length <= MOST_CHARACTERS ? name : withDigest(name.slice(0, MOST_CHARACTERS - DIGITS - 1), name)
}

/** An ending needs something before it, so the outermost key may be any word; the numbers of projections follow any column. */
const isFree = (key: string, level: number): boolean =>
  AS_IT_IS.test(key) && key !== '__proto__' && !/-[1-4]$/.test(key) && (level === 0 || !TAKEN.has(key))

const readable = (key: string): string => key.replaceAll(/[^\w-]/g, '_').replace(/^-/, '_')

/** Two keys that look alike without their spaces and accents stay two. */
const withDigest = (shown: string, whole: string): string => `${shown}_${hash('sha256', whole).slice(0, DIGITS)}`

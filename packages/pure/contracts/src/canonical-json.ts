// One text per value, whatever the order in which its fields were written: what a content address is computed from.

import { IronlawError } from './error.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

/** Keys sorted by code unit, no spaces, absent fields left out. A number that JSON cannot write would collide with null, so it is refused. */
export function canonicalJson(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new IronlawError('IL_UNEXPECTED', { reason: `${value} has no canonical text` })
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.flatMap(([key, each]) => (each === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(each)}`])).join(',')}}`
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value)

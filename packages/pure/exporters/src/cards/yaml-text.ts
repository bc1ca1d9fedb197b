// YAML that every reader of YAML 1.1 and 1.2 reads alike: maps and lists as blocks, each scalar as JSON with what is not plain text escaped.

import type { Json } from '@ironlaw/contracts'

/** Line breaks of YAML 1.1, controls, and marks of byte order: a reader refuses them, or folds them. */
const NOT_PRINTABLE = /[\u007F-\u00A0\u2028\u2029\uFEFF\uFFFE\uFFFF]/g

export const yamlText = (value: { readonly [field: string]: Json | undefined }): string => `${fieldLines(value).join('\n')}\n`

const fieldLines = (value: { readonly [field: string]: Json | undefined }): readonly string[] =>
  Object.entries(value).flatMap(([field, each]) => (each === undefined ? [] : entryLines(`${keyText(field)}:`, each)))

const keyText = (field: string): string => (/^[a-z][a-z0-9_-]*$/.test(field) ? field : scalarText(field))

function entryLines(start: string, value: Json): readonly string[] {
  const lines = blockLines(value)
  return lines ? [start, ...lines.map((line) => `  ${line}`)] : [`${start} ${scalarText(value)}`]
}

/** Undefined for a scalar and for what is empty. */
function blockLines(value: Json): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!isList(value)) return Object.keys(value).length === 0 ? undefined : fieldLines(value)
  return value.length === 0 ? undefined : value.flatMap(itemLines)
}

function itemLines(value: Json): readonly string[] {
  const [first = scalarText(value), ...rest] = blockLines(value) ?? []
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)]
}

const scalarText = (value: Json): string =>
  JSON.stringify(typeof value === 'string' ? value.toWellFormed() : value).replaceAll(
    NOT_PRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const isList = (value: object): value is readonly Json[] => Array.isArray(value)

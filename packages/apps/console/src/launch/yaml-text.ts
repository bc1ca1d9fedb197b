// A spec as hand-written YAML would look. Supports only what specs contain: maps, lists, text, numbers and booleans.

type Yaml = string | number | boolean | readonly Yaml[] | { readonly [name: string]: Yaml | undefined }

/** Text that YAML reads back as the same text without quotes. */
const PLAIN = /^(?=.*[A-Za-z/])[A-Za-z0-9$./][\w$./@+ -]*(?<! )$/
/** Words that YAML reads as something else. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~|[+-]?\.?(?:inf|nan)|0x[\da-f]+|0o[0-7]+|[+-]?[\d.]+e[+-]?\d+)$/i

const scalar = (value: string | number | boolean): string =>
  typeof value !== 'string' || (PLAIN.test(value) && !RESERVED.test(value)) ? String(value) : JSON.stringify(value)

const isList = (value: Yaml): value is readonly Yaml[] => Array.isArray(value)

export function yamlText(value: { readonly [name: string]: Yaml | undefined }, indent = ''): string {
  return Object.entries(value)
    .map(([name, each]) => (each === undefined ? '' : `${indent}${scalar(name)}:${entry(each, indent)}`))
    .join('')
}

function entry(value: Yaml, indent: string): string {
  if (isList(value)) return ` [${value.map(inline).join(', ')}]\n`
  if (typeof value !== 'object') return ` ${scalar(value)}\n`
  const inner = yamlText(value, `${indent}  `)
  return inner === '' ? ' {}\n' : `\n${inner}`
}

/** JSON is YAML. */
const inline = (value: Yaml): string => JSON.stringify(value)

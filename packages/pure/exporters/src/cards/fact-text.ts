// A fact as a person reads it. Facts are JSON, and whoever adds an artifact may state any of them.

import type { Json } from '@ironlaw/contracts'
import type { VersionFact } from '@ironlaw/contracts/model-registry'
import { counted, dollars, joules, show } from '@ironlaw/units'

type Fields = Readonly<Record<string, Json | undefined>>

export function factText(fact: VersionFact, value: Json): string {
  if (isFields(value)) {
    const { cost_usd, energy_j, commit } = value
    if (fact === 'cost' && typeof cost_usd === 'number') return show(dollars(cost_usd), 'USD')
    if (fact === 'energy' && typeof energy_j === 'number') return show(joules(energy_j), 'J')
    if (fact === 'code' && typeof commit === 'string') return codeText(commit, value)
  }
  return valueText(value)
}

function codeText(commit: string, { remote, path, changes, ...rest }: Fields): string {
  const { commit: _, ...others } = rest
  return [
    `commit ${commit}`,
    ...(typeof remote === 'string' ? [` of ${remote}`] : []),
    ...(typeof path === 'string' ? [`, directory ${path}`] : []),
    ...(isFields(changes) && typeof changes['files'] === 'number'
      ? [`, and ${counted(changes['files'], 'file')} in no commit (digest ${valueText(changes['digest'] ?? 'unknown')})`]
      : []),
    ...(Object.keys(others).length > 0 ? [`, ${valueText(others)}`] : []),
  ].join('')
}

/** One line: fields by name, lists with commas. */
export function valueText(value: Json): string {
  if (typeof value === 'string') return value
  if (isList(value)) return value.map(valueText).join(', ')
  if (!isFields(value)) return JSON.stringify(value)
  return Object.entries(value)
    .flatMap(([field, each]) => (each === undefined ? [] : [`${field}: ${valueText(each)}`]))
    .join('; ')
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const isFields = (value: Json | undefined): value is Fields & { readonly [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Compares the counts of this package with what the models' makers published.

import type { Architecture } from './architecture.ts'
import { type BuiltInModel, builtInModels } from './built-in.ts'
import { importConfig } from './import-config.ts'
import { parameterCounts } from './parameters.ts'

export type ModelCheckRow = {
  readonly name: string
  readonly published: number
  readonly counted: number
  /** |counted - published| / published. */
  readonly error: number
  readonly rounded: boolean
}

export type ModelCheck = {
  /** Models with a published count. */
  readonly models: number
  readonly exact: number
  readonly worstError: number
  readonly rows: readonly ModelCheckRow[]
  /** Built-in models without a published exact count. */
  readonly unpublished: readonly string[]
}

function comparableCount(of: BuiltInModel['parameters']['of'], architecture: Architecture): number {
  const { total, prediction } = parameterCounts(architecture)
  const modules = architecture.groups.filter((group) => group.stack === 'prediction').reduce((sum, group) => sum + group.count, 0)
  const copies = 2 * modules * architecture.vocabulary * architecture.width
  if (of === undefined) return total
  return total + prediction + (of === 'prediction' ? 0 : copies)
}

export function checkModels(): ModelCheck {
  const rows = builtInModels.flatMap(({ name, config, parameters }): ModelCheckRow[] => {
    if (parameters.count === null) return []
    const imported = importConfig(config)
    const counted = imported.ok ? comparableCount(parameters.of, imported.architecture) : Number.NaN
    const error = imported.ok ? Math.abs(counted - parameters.count) / parameters.count : Number.POSITIVE_INFINITY
    return [{ name, published: parameters.count, counted, error, rounded: parameters.rounded === true }]
  })
  return {
    models: rows.length,
    exact: rows.filter((row) => row.error === 0).length,
    worstError: Math.max(0, ...rows.map((row) => row.error)),
    rows,
    unpublished: builtInModels.filter((model) => model.parameters.count === null).map((model) => model.name),
  }
}

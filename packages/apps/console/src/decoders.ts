// Models that decode tokens, by name or from a pasted config.json.

import { IronlawError } from '@ironlaw/contracts'
import { builtInModel, builtInModels, importConfig } from '@ironlaw/models'
import { decodesTokens, type NamedModel } from '@ironlaw/planner'

/** The same text gives the same object: the planner caches by identity. */
const KNOWN = new Map<string, NamedModel>()

export function findDecoder({ model, config }: { readonly model: string; readonly config: string }): NamedModel {
  const key = `${model} ${config}`
  const known = KNOWN.get(key) ?? importDecoder(model, config)
  KNOWN.set(key, known)
  return known
}

function importDecoder(model: string, config: string): NamedModel {
  const builtIn = config === '' ? builtInModel(model) : undefined
  if (config === '' && !builtIn)
    throw new IronlawError('IL_UNKNOWN_MODEL', { name: model, suggestion: 'choose one of the list, or paste its config.json' })
  const read = importConfig(builtIn?.config ?? JSON.parse(config))
  const name = builtIn?.name ?? 'config.json'
  if (!read.ok) throw new IronlawError('IL_CONFIG', { file: name, field: read.field, problem: read.problem })
  if (!decodesTokens(read.architecture))
    throw new IronlawError('IL_CONFIG', {
      file: name,
      field: 'model_type',
      problem: `${read.architecture.modelType} does not decode tokens`,
    })
  return { name, architecture: read.architecture, warnings: read.warnings }
}

export const decoderNames = (): readonly string[] =>
  builtInModels.flatMap(({ name, config }) => {
    const read = importConfig(config)
    return read.ok && decodesTokens(read.architecture) ? [name] : []
  })

// A model as people name it: a config.json, a directory that holds one, or a built-in name.

import { IronlawError } from '@ironlaw/contracts'
import { builtInModel, importConfig, suggestedModels } from '@ironlaw/models'
import type { NamedModel } from '@ironlaw/planner'
import { configPath, readDocument } from './input-file.ts'

export function modelFrom(name: string): NamedModel {
  const path = configPath(name)
  const model = builtInModel(name)
  if (path === undefined && !model)
    throw new IronlawError('IL_UNKNOWN_MODEL', {
      name,
      suggestion: `give the path of its config.json, or one of the built-in names; near: ${suggestedModels(name).join(', ')}`,
    })
  const imported = importConfig(path === undefined ? model?.config : readDocument(path))
  if (!imported.ok) throw new IronlawError('IL_CONFIG', { file: path ?? name, field: imported.field, problem: imported.problem })
  return { name: path ?? model?.name ?? name, architecture: imported.architecture, warnings: imported.warnings }
}

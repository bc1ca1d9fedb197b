// A model as users name it: a config.json, a directory that holds one, or a built-in name. A path in a spec is relative to the spec, like
// the other paths of a spec; if nothing is there, it is relative to the current directory, as in earlier versions.

import { join, resolve } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { builtInModel, importConfig, suggestedModels } from '@ironlaw/models'
import type { NamedModel } from '@ironlaw/planner'
import { configPath, readDocument } from '../input-file.ts'

/** `from` is the directory of the spec that names the model. */
export function modelFrom(name: string, from?: string): NamedModel {
  const beside = from === undefined ? undefined : configPath(resolve(from, name))
  const path = beside ?? configPath(name)
  const model = builtInModel(name)
  if (path === undefined && !model)
    throw new IronlawError('IL_UNKNOWN_MODEL', {
      name,
      suggestion: `give the path of its config.json, or one of the built-in names; near: ${suggestedModels(name).join(', ')}`,
    })
  const imported = importConfig(path === undefined ? model?.config : readDocument(path))
  if (!imported.ok) throw new IronlawError('IL_CONFIG', { file: path ?? name, field: imported.field, problem: imported.problem })
  // Keep the path as written, wherever it was found: a plan must not depend on the current directory.
  const written =
    path === undefined ? undefined : path.endsWith('config.json') && !name.endsWith('config.json') ? join(name, 'config.json') : name
  return { name: written ?? model?.name ?? name, architecture: imported.architecture, warnings: imported.warnings }
}

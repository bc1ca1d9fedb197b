// Looks up the newest version of a measured engine by name, and writes its next version.

import type { JsonObject } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { userCatalog } from '../catalog/catalog-source.ts'
import { saveChange } from './document.ts'
import { simulatedEngine, type SimulatedEngine } from './engine-entry.ts'
import { currentVersion, type Version } from './measured-file.ts'
import { groupAt, wordAt } from './read-entry.ts'

export type NamedEngine = {
  readonly id: string
  /** Of all that was measured. */
  readonly version: number
  readonly entry: JsonObject
  readonly engine: SimulatedEngine
}

export type EngineQuery = { readonly flag: string; readonly id: string; readonly command: string }

export function findEngine({ flag, id, command }: EngineQuery): NamedEngine {
  const now = currentVersion()
  const engines = now?.document.engines ?? {}
  const entry = engines[id]
  if (now && entry) return { id, version: now.number, entry, engine: simulatedEngine(entry) }
  const known = Object.keys(engines)
  const next =
    known.length > 0 ? `measured engines: ${known.join(', ')}` : `"ironlaw calibrate engine --model model.gguf --as ${id}" measures one`
  throw new IronlawError('IL_USAGE', { problem: `${flag} ${id}: no engine of that name was measured; ${next}`, command })
}

/** Factors by which replicas on one machine slow each other down, by number of replicas. */
export function sharingOf({ id, engine }: NamedEngine, replicas: number, command: string): readonly number[] {
  if (replicas <= engine.sharing.length) return engine.sharing
  throw new IronlawError('IL_USAGE', {
    problem: `--one-machine: ${id} was measured with up to ${engine.sharing.length} on the same cores, not ${replicas}; "ironlaw calibrate engine --copies ${replicas}" measures more`,
    command,
  })
}

export const writeEngine = (id: string, entry: JsonObject, by: string): Version =>
  saveChange(userCatalog(undefined), { by: `${by} ${id}`, entries: {}, engines: { [id]: entry } })

/** Where and when it was measured. */
export function originOf(entry: JsonObject): string {
  const source = groupAt(groupAt(entry, 'sources'), 'calibrate')
  return `${wordAt(source, 'ref').replace(/^ironlaw calibrate engine on /, '')}, ${wordAt(source, 'date')}`
}

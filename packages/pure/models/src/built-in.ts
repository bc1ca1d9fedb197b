// The models known by name. Case, dashes, spaces and the organisation in front do not count.

import { nearestNames } from '@ironlaw/contracts'
import models from './models.generated.json' with { type: 'json' }

export type BuiltInModel = {
  readonly name: string
  readonly aliases: readonly string[]
  /** The architectural fields of its config.json. */
  readonly config: Readonly<Record<string, unknown>>
  readonly parameters: {
    /** Null when no exact count was published. */
    readonly count: number | null
    /** What was counted: the model, or the checkpoint with its prediction module, or also that module's copies of table and head. */
    readonly of?: 'prediction' | 'prediction-and-tables'
    /** The publisher rounded; compare within that. */
    readonly rounded?: boolean
    readonly source: { readonly ref: string; readonly date: string }
  }
}

export const builtInModels = models as readonly BuiltInModel[]

export function builtInModel(name: string): BuiltInModel | undefined {
  return modelIndex().get(key(name)) ?? modelIndex().get(key(withoutOrganisation(name)))
}

/** The names closest to one that is not there. */
export const suggestedModels = (name: string): readonly string[] =>
  nearestNames(
    withoutOrganisation(name),
    builtInModels.map((model) => ({ name: model.name, aliases: [model.name, ...model.aliases].map(withoutOrganisation) })),
  )

let cachedIndex: ReadonlyMap<string, BuiltInModel> | undefined

function modelIndex(): ReadonlyMap<string, BuiltInModel> {
  cachedIndex ??= new Map(builtInModels.toReversed().flatMap((model) => keysOf(model).map((known) => [known, model] as const)))
  return cachedIndex
}

const keysOf = (model: BuiltInModel): readonly string[] =>
  [model.name, ...model.aliases].flatMap((name) => [key(name), key(withoutOrganisation(name))])

const withoutOrganisation = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** Dots stay: OPT-1.3B is not OPT-13B. */
const key = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, '')

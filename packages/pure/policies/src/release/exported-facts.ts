// What the record of an exported model says of its origin, as facts of an artifact.

import type { ArtifactManifest } from '@ironlaw/contracts/artifact'
import type { ModelVersion } from '@ironlaw/contracts/model-version'

/** A position in the data, or the arguments of a program, are no version of either. */
const NO_VERSION = { data: ['position'], code: ['argv'] } as const

export function exportedFacts({ id, lineage }: Pick<ModelVersion, 'id' | 'lineage'>): ArtifactManifest['facts'] {
  const { code, data, run, plan, step, configuration, environment } = lineage
  const facts = {
    version: id,
    code: withoutFields(code, NO_VERSION.code),
    data: withoutFields(data, NO_VERSION.data),
    configuration: configuration ?? argumentsOf(code, plan),
    environment,
    run,
    plan,
    step,
  }
  // The file is JSON, so every value of it is.
  return Object.fromEntries(
    Object.entries(facts).flatMap(([fact, value]) => (value == null ? [] : [[fact, value as ArtifactManifest['facts'][string]]])),
  )
}

type Fields = Readonly<Record<string, unknown>>

/** The only field of those left stands for itself. */
function withoutFields(record: Fields | undefined, without: readonly string[]): unknown {
  const left = Object.entries(record ?? {}).filter(([field, value]) => !without.includes(field) && value != null)
  const [only, ...others] = left
  if (!only) return undefined
  return others.length === 0 ? only[1] : Object.fromEntries(left)
}

const argumentsOf = (code: Fields | undefined, plan: string | null | undefined): unknown =>
  plan == null || code?.['argv'] === undefined ? undefined : { plan, argv: code['argv'] }

// The next version of what was measured, from the one in force.

import type { Catalog, JsonObject } from '@ironlaw/catalog'
import { mergedEntry } from './entries.ts'
import { currentVersion, type MeasuredDocument, type Version, writeVersion } from './measured-file.ts'
import { withMeasuredDocument } from './with-measured.ts'

export type CalibrationChange = {
  /** The command that makes it. */
  readonly by: string
  readonly entries: MeasuredDocument['catalog']
  readonly engines?: MeasuredDocument['engines']
  readonly finished?: MeasuredDocument['finished']
  /** An accelerator of which everything is measured anew: what was known of it, and what runs taught about that, is gone. */
  readonly anew?: string
}

/** What is in force, with entries laid over it and runs added. Nothing is kept that the catalog would refuse when it is read. */
export function saveChange(catalog: Catalog, { by, entries, engines = {}, finished = [], anew }: CalibrationChange): Version {
  const before = currentVersion()?.document
  const document: MeasuredDocument = {
    made: { at: new Date().toISOString(), by },
    catalog: mergedCatalog(withoutAccelerator(before?.catalog ?? {}, anew), entries),
    engines: { ...before?.engines, ...engines },
    finished: [...(before?.finished ?? []), ...finished],
  }
  withMeasuredDocument(catalog, document, by)
  return writeVersion(document)
}

function withoutAccelerator(catalog: MeasuredDocument['catalog'], accelerator: string | undefined): MeasuredDocument['catalog'] {
  const rest = Object.entries(catalog['accelerators'] ?? {}).filter(([id]) => id !== accelerator)
  return { ...catalog, accelerators: Object.fromEntries(rest) }
}

function mergedCatalog(below: MeasuredDocument['catalog'], above: MeasuredDocument['catalog']): MeasuredDocument['catalog'] {
  const mergedKind = (kind: string): Readonly<Record<string, JsonObject>> => {
    const old = below[kind] ?? {}
    const changed = Object.entries(above[kind] ?? {}).map(([id, entry]) => [id, mergedEntry(old[id] ?? {}, entry)] as const)
    return { ...old, ...Object.fromEntries(changed) }
  }
  return Object.fromEntries([...new Set([...Object.keys(below), ...Object.keys(above)])].map((kind) => [kind, mergedKind(kind)]))
}

export const today = (): string => new Date().toISOString().slice(0, 10)

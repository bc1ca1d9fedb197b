// The next version of the calibration document, built from the one in force.

import type { Catalog, JsonObject } from '@ironlaw/catalog'
import { mergedEntry } from './entries.ts'
import { currentVersion, type MeasuredDocument, type Version, writeVersion } from './measured-file.ts'
import { withMeasuredDocument } from './with-measured.ts'

export type CalibrationChange = {
  /** The command that writes it. */
  readonly by: string
  readonly entries: MeasuredDocument['catalog']
  readonly engines?: MeasuredDocument['engines']
  readonly finished?: MeasuredDocument['finished']
  readonly data?: MeasuredDocument['data']
  /** An accelerator that was measured from scratch: its earlier figures and the corrections learned from runs are dropped. */
  readonly anew?: string
}

/** The document in force with entries merged over it and runs added. Anything the catalog would reject on reading is dropped. */
export function saveChange(catalog: Catalog, { by, entries, engines = {}, finished = [], data = [], anew }: CalibrationChange): Version {
  const before = currentVersion()?.document
  const document: MeasuredDocument = {
    made: { at: new Date().toISOString(), by },
    catalog: mergedCatalog(withoutAccelerator(before?.catalog ?? {}, anew), entries),
    engines: { ...before?.engines, ...engines },
    finished: [...(before?.finished ?? []), ...finished],
    data: [...(before?.data ?? []), ...data],
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

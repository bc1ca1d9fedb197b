// What jobs of a project print, without the values of its secrets.

import type { Report } from '@ironlaw/contracts/report'
import type { FilePart } from '../storage/read-part.ts'
import type { ProjectSecrets } from './project-secrets.ts'
import { type Redactor, redactor, showMasked } from './redact.ts'

export type Redaction = {
  readonly of: (project: string) => Promise<Redactor>
  /** A part of a log that is kept elsewhere as it was printed. */
  readonly part: (project: string, part: FilePart) => Promise<FilePart>
  /** The ends of logs that it carries, and its notes. */
  readonly report: (project: string, report: Report) => Promise<Report>
}

/** Projects that are remembered; a forgotten one is made again. */
const PROJECTS_KEPT = 1000

export function redaction(secrets: Pick<ProjectSecrets, 'knownValues'>): Redaction {
  const made = new Map<string, { readonly values: readonly string[]; readonly redactor: Redactor }>()
  const of = async (project: string): Promise<Redactor> => {
    const values = await secrets.knownValues(project)
    const known = made.get(project)
    if (known?.values === values) return known.redactor
    const fresh = { values, redactor: redactor(values) }
    made.delete(project)
    made.set(project, fresh)
    const [oldest] = made.keys()
    if (made.size > PROJECTS_KEPT && oldest !== undefined) made.delete(oldest)
    return fresh.redactor
  }
  return {
    of,
    part: async (project, { text, next }) => {
      const { bytes, settled } = (await of(project)).mask(Buffer.from(text), { isCut: true })
      return { text: showMasked(bytes.toString('utf8', 0, settled)), next: next - (bytes.length - settled) }
    },
    report: async (project, report) => {
      if (report.exits.length === 0 && report.notes.length === 0) return report
      const { text } = await of(project)
      return {
        ...report,
        exits: report.exits.map((exit) => ({ ...exit, tail: text(exit.tail) })),
        notes: report.notes.map((note) => textsReplaced(note, text)),
      }
    },
  }
}

/** In every text of a value. */
function textsReplaced<Value>(value: Value, replace: (text: string) => string): Value {
  const walk = (each: unknown): unknown => {
    if (typeof each === 'string') return replace(each)
    if (Array.isArray(each)) return each.map(walk)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, walk(inner)]))
  }
  return walk(value) as Value
}

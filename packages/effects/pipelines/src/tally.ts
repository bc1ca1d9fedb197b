// Counts what happens to the documents of one unit.

import type { Document } from './document.ts'
import {
  addAmounts,
  type Dropped,
  type Figures,
  NO_SOURCE_FIGURES,
  NOTHING,
  type Seconds,
  type SourceFigures,
  type StepFigures,
} from './figures.ts'
import { addRecord, NO_FIGURES, type Violation } from './steps/contract.ts'
import type { Unit } from './unit.ts'

const EXAMPLE_CHARACTERS = 400
/** Of each reason. */
export const EXAMPLES_OF_UNIT = 2

type DropRecord = {
  readonly document: Pick<Document, 'record' | 'text'>
  readonly reason: string
  readonly detail?: string
  readonly bytes?: number
  /** None where only a part of its text is gone. */
  readonly documents?: 0 | 1
}

export type Tally = {
  readonly enter: (step: number, bytes: number, documents?: number) => void
  readonly drop: (step: number, dropped: DropRecord) => void
  readonly field: (name: string, value: unknown) => void
  readonly records: (count: number) => void
  readonly violation: (violation: Violation, record: number) => void
  readonly out: (bytes: number, tokens: number) => void
  readonly spend: (cause: string, milliseconds: number) => void
  readonly figures: () => Figures
  readonly seconds: () => Seconds
}

type Open = {
  into: { documents: number; bytes: number }
  dropped: Map<string, { documents: number; bytes: number; examples: Dropped['examples'][number][] }>
}

/** @param steps names of all steps of the spec, by their place in it */
export function createTally(unit: Unit, source: string, steps: readonly string[]): Tally {
  const open: Open[] = steps.map(() => ({ into: { ...NOTHING }, dropped: new Map() }))
  const seconds = new Map<string, number>()
  let own: SourceFigures = NO_SOURCE_FIGURES
  const lengths: number[] = []
  const out = { documents: 0, bytes: 0, tokens: 0 }
  const fields = new Map<string, typeof NO_FIGURES>()
  const { file } = unit
  return {
    enter: (step, bytes, documents = 1) => {
      const { into } = open[step] as Open
      into.documents += documents
      into.bytes += bytes
    },
    drop: (step, { document, reason, detail, bytes = Buffer.byteLength(document.text), documents = 1 }) => {
      const { dropped } = open[step] as Open
      const under = dropped.get(reason) ?? { documents: 0, bytes: 0, examples: [] }
      dropped.set(reason, under)
      under.documents += documents
      under.bytes += bytes
      if (under.examples.length < EXAMPLES_OF_UNIT && document.text !== '')
        under.examples.push({ file, record: document.record, text: shortened(document.text), ...(detail === undefined ? {} : { detail }) })
    },
    field: (name, value) => void fields.set(name, addRecord(fields.get(name) ?? NO_FIGURES, value)),
    records: (count) => (own = { ...own, records: own.records + count }),
    violation: (violation, record) =>
      (own = { ...own, violations: own.violations + 1, firstViolation: own.firstViolation ?? { ...violation, file, record } }),
    out: (bytes, tokens) => {
      out.documents += 1
      out.bytes += bytes
      out.tokens += tokens
      const power = Math.ceil(Math.log2(Math.max(1, bytes)))
      while (lengths.length <= power) lengths.push(0)
      lengths[power] = (lengths[power] as number) + 1
    },
    spend: (cause, milliseconds) => void seconds.set(cause, (seconds.get(cause) ?? 0) + milliseconds / 1000),
    figures: () => ({
      steps: open.map(({ into, dropped }, step) => stepFigures(steps[step] as string, into, dropped)),
      sources: { [source]: { ...own, fields: Object.fromEntries(fields), out, lengths } },
    }),
    seconds: () => Object.fromEntries(seconds),
  }
}

/** Cut between characters: half a surrogate pair is no text. */
const shortened = (text: string): string =>
  text.length <= EXAMPLE_CHARACTERS ? text : `${text.slice(0, EXAMPLE_CHARACTERS).toWellFormed()}…`

function stepFigures(step: string, into: Open['into'], dropped: Open['dropped']): StepFigures {
  let gone = NOTHING
  for (const each of dropped.values()) gone = addAmounts(gone, each)
  return {
    step,
    into: { ...into },
    kept: { documents: into.documents - gone.documents, bytes: into.bytes - gone.bytes },
    dropped: Object.fromEntries([...dropped].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

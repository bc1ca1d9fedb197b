// What a step does to a batch of documents. Steps look at one document at a time; what needs all of them is deduplication, which is no such step.

import type { DataSpec, DataStep } from '@ironlaw/contracts/data-spec'
import type { Document } from '../document.ts'

/** Called for each document that a step does not let pass. */
type Dropped = (document: Document, reason: string, detail?: string) => void

export type Step = {
  readonly name: keyof DataStep
  /** Whether it changes texts: such a step is repeated when a document is read again. */
  readonly changes: boolean
  /** Those that go on, in order. */
  readonly apply: (documents: readonly Document[], dropped: Dropped) => readonly Document[] | Promise<readonly Document[]>
  readonly close?: () => Promise<void>
}

export type StepContext = {
  readonly spec: DataSpec
  /** Directory of the spec, which its paths start from. */
  readonly directory: string
  readonly source: number
}

/** Documents for which `why` has no answer go on; the others are dropped with it. */
export const filterStep = (name: keyof DataStep, why: (document: Document) => string | undefined): Step => ({
  name,
  changes: false,
  apply: (documents, dropped) =>
    documents.filter((document) => {
      const reason = why(document)
      if (reason !== undefined) dropped(document, reason)
      return reason === undefined
    }),
})

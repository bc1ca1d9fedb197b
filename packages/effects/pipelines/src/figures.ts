// What steps kept and dropped. Figures of units add up in any order. Timings are kept apart from them, so that the figures of a dataset are the same bits for any
// number of workers.

import type { Amount, DataFigures as Figures, Dropped, SourceFigures, StepFigures } from '@ironlaw/contracts/data-figures'
import { addFigures, NO_FIGURES } from './steps/contract.ts'

export type { Amount, DataFigures as Figures, Dropped, Example, SourceFigures, StepFigures } from '@ironlaw/contracts/data-figures'

export const NOTHING: Amount = { documents: 0, bytes: 0 }
export const NO_SOURCE_FIGURES: SourceFigures = {
  records: 0,
  violations: 0,
  fields: {},
  out: { ...NOTHING, tokens: 0 },
  lengths: [],
}

export const addAmounts = (a: Amount, b: Amount): Amount => ({ documents: a.documents + b.documents, bytes: a.bytes + b.bytes })

const MOST_EXAMPLES = 5
const MOST_REASONS = 200
const OTHER_REASONS = 'other'

/** The examples of the first units stay, so sums are taken in the order of units. */
function addDropped(a: Dropped | undefined, b: Dropped): Dropped {
  return { ...addAmounts(a ?? NOTHING, b), examples: [...(a?.examples ?? []), ...b.examples].slice(0, MOST_EXAMPLES) }
}

function addReasons(a: StepFigures['dropped'], b: StepFigures['dropped']): StepFigures['dropped'] {
  const sum: Record<string, Dropped> = { ...a }
  for (const [reason, dropped] of Object.entries(b)) {
    const under = Object.hasOwn(sum, reason) || Object.keys(sum).length < MOST_REASONS ? reason : OTHER_REASONS
    sum[under] = addDropped(sum[under], dropped)
  }
  return sum
}

const addSteps = (a: StepFigures, b: StepFigures): StepFigures => ({
  step: a.step,
  into: addAmounts(a.into, b.into),
  kept: addAmounts(a.kept, b.kept),
  dropped: addReasons(a.dropped, b.dropped),
})

function addSources(a: SourceFigures, b: SourceFigures): SourceFigures {
  const first = a.firstViolation ?? b.firstViolation
  const fields = new Set([...Object.keys(a.fields), ...Object.keys(b.fields)])
  return {
    records: a.records + b.records,
    violations: a.violations + b.violations,
    ...(first ? { firstViolation: first } : {}),
    fields: Object.fromEntries(
      [...fields].map((field) => [field, addFigures(a.fields[field] ?? NO_FIGURES, b.fields[field] ?? NO_FIGURES)]),
    ),
    out: { ...addAmounts(a.out, b.out), tokens: a.out.tokens + b.out.tokens },
    lengths: Array.from({ length: Math.max(a.lengths.length, b.lengths.length) }, (_, i) => (a.lengths[i] ?? 0) + (b.lengths[i] ?? 0)),
  }
}

/** Both of the same steps, of which either may have been through a part only. */
export function sumFigures(a: Figures, b: Figures): Figures {
  const sources: Record<string, SourceFigures> = { ...a.sources }
  for (const [source, figures] of Object.entries(b.sources)) sources[source] = addSources(sources[source] ?? NO_SOURCE_FIGURES, figures)
  const steps = Array.from({ length: Math.max(a.steps.length, b.steps.length) }, (_, i) => {
    const [left, right] = [a.steps[i], b.steps[i]]
    return left && right ? addSteps(left, right) : ((left ?? right) as StepFigures)
  })
  return { steps, sources }
}

/** Seconds of work by what they went into: reading, each step by name, writing, and so on. */
export type Seconds = Readonly<Record<string, number>>

export function addSeconds(a: Seconds, b: Seconds): Seconds {
  const sum: Record<string, number> = { ...a }
  for (const [cause, seconds] of Object.entries(b)) sum[cause] = (sum[cause] ?? 0) + seconds
  return sum
}

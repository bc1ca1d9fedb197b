// The probe as other thresholds would have left it; a plan of it answers what they change.

import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { type BandShape, foundPairs } from './misses.ts'

export type DataChange =
  | { readonly change: 'bands'; readonly shape: BandShape }
  | { readonly change: 'rule'; readonly step: string; readonly rule: string; readonly threshold: number }

type ProbedStep = DataProbe['steps'][number]
type Moments = ProbedStep['left']['documents']

export type ChangedProbe = { readonly ok: true; readonly probe: DataProbe } | { readonly ok: false; readonly reason: string }

export function changedProbe(probe: DataProbe, change: DataChange): ChangedProbe {
  switch (change.change) {
    case 'bands':
      return withBands(probe, change.shape)
    case 'rule':
      return withThreshold(probe, change)
  }
}

/** Documents removed as near-duplicates change as the pairs do that bands find. */
function withBands(probe: DataProbe, shape: BandShape): ChangedProbe {
  const { duplicates, steps, sample } = probe
  const at = steps.findIndex(({ kind }) => kind === 'dedupe')
  if (!duplicates || at < 0) return { ok: false, reason: 'the spec has no step that removes near-duplicates' }
  const found = foundPairs(probe, duplicates)
  const near = found > 0 ? Math.min(sample.documents.sum, (duplicates.near * foundPairs(probe, shape)) / found) : 0
  const left = (steps[at] as ProbedStep).left.documents.sum
  const factor = left > 0 ? Math.max(0, left + duplicates.near - near) / left : 1
  const edges = near > 0 && duplicates.near > 0 ? (duplicates.edges * near) / duplicates.near : duplicates.edges
  const changed = {
    ...probe,
    duplicates: { ...duplicates, ...shape, near, inPairs: duplicates.inPairs + near - duplicates.near, edges },
    steps: scaledFrom(steps, at, { documents: factor, bytes: factor }),
  }
  return { ok: true, probe: changed }
}

type RuleChange = Extract<DataChange, { readonly change: 'rule' }>

/** The histogram is of documents that no other rule of the step drops, so what passes is exactly what the step would leave. */
function withThreshold(probe: DataProbe, { step, rule, threshold }: RuleChange): ChangedProbe {
  const found = probe.rules?.find((each) => each.step === step && each.rule === rule)
  const at = probe.steps.findIndex(({ name }) => name === step)
  if (!found || at < 0) {
    const known = (probe.rules ?? []).map((each) => `${each.step} ${each.rule}`).join(', ')
    return { ok: false, reason: `the probe recorded no rule ${rule} of step ${step}; it recorded ${known || 'none'}` }
  }
  const factor = (counts: readonly number[]): number => {
    const before = passing(found, counts, found.threshold)
    return before > 0 ? passing(found, counts, threshold) / before : 1
  }
  const changed = {
    ...probe,
    rules: (probe.rules ?? []).map((each) => (each === found ? { ...each, threshold } : each)),
    steps: scaledFrom(probe.steps, at, { documents: factor(found.documents), bytes: factor(found.bytes) }),
  }
  return { ok: true, probe: changed }
}

type Rule = NonNullable<DataProbe['rules']>[number]

/** Of documents by value, those that a threshold keeps; inside a bin they are taken to lie evenly. */
function passing({ edges, keeps }: Rule, counts: readonly number[], threshold: number): number {
  return counts.reduce((sum, each, bin) => {
    const [from = 0, to = 0] = [edges[bin], edges[bin + 1]]
    const below = to > from ? Math.min(1, Math.max(0, (threshold - from) / (to - from))) : threshold > from ? 1 : 0
    return sum + each * (keeps === 'at-least' ? 1 - below : below)
  }, 0)
}

type Factors = { readonly documents: number; readonly bytes: number }

/** What a step and all after it leave, by a factor. */
const scaledFrom = (steps: readonly ProbedStep[], at: number, { documents, bytes }: Factors): readonly ProbedStep[] =>
  steps.map((step, index) => {
    if (index < at) return step
    const { left, heavy } = step
    return {
      ...step,
      left: {
        documents: scaledMoments(left.documents, documents),
        bytes: scaledMoments(left.bytes, bytes),
        ...(left.tokens ? { tokens: scaledMoments(left.tokens, bytes) } : {}),
      },
      heavy,
    }
  })

const scaledMoments = ({ sum, squares, products }: Moments, factor: number): Moments => ({
  sum: sum * factor,
  squares: squares * factor ** 2,
  products: products * factor,
})

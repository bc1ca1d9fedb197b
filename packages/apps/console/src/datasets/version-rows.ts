// Figures of two versions of a dataset, row by row.

import type { ArtifactNameView } from '@ironlaw/contracts/artifact-operations'
import type { DataFigures, StepFigures } from '@ironlaw/contracts/data-figures'
import { bytes, show } from '@ironlaw/units'
import { type DifferenceRow, numberRow } from '../compare/difference-row.ts'
import { totalsOf } from './step-figures.ts'

type VersionChoice = { readonly first: number; readonly second: number; readonly shown: string }

/** What was chosen; otherwise the shown artifact as the second, and the version before it as the first. Newest versions come first. */
export function versionsToCompare(
  versions: readonly ArtifactNameView[],
  { first, second, shown }: VersionChoice,
): readonly [ArtifactNameView, ArtifactNameView] | undefined {
  if (versions.length < 2) return undefined
  const right = versions.find(({ version }) => version === second) ?? versions.find(({ artifact }) => artifact === shown) ?? versions[0]
  const before = versions.find(({ version }) => version < (right?.version ?? 0))
  const left = versions.find(({ version }) => version === first) ?? before ?? versions.find((each) => each !== right)
  return left && right && [left, right]
}

const count = (value: number): string => value.toLocaleString('en')
const size = (value: number): string => show(bytes(value), 'B')

export function figureRows(left: DataFigures, right: DataFigures): readonly DifferenceRow[] {
  const [before, after] = [totalsOf(left), totalsOf(right)]
  const sources = [...new Set([...Object.keys(left.sources), ...Object.keys(right.sources)])]
  return [
    numberRow('records read', [before.records, after.records], count),
    numberRow('records set aside', [before.violations, after.violations], count),
    ...stepRows(left.steps, right.steps),
    numberRow('documents', [before.documents, after.documents], count),
    numberRow('text', [before.bytes, after.bytes], size),
    numberRow('tokens', [before.tokens, after.tokens], count),
    ...sources.flatMap((source) => {
      const [a, b] = [left.sources[source]?.out, right.sources[source]?.out]
      return [
        numberRow(`documents of ${source}`, [a?.documents, b?.documents], count),
        numberRow(`tokens of ${source}`, [a?.tokens, b?.tokens], count),
      ]
    }),
  ]
}

/** Steps are matched by name and by how many of that name came before, so that one more step does not shift the rest. */
function stepRows(left: readonly StepFigures[], right: readonly StepFigures[]): readonly DifferenceRow[] {
  const [before, after] = [named(left), named(right)]
  return inOrderOfBoth([...before.keys()], [...after.keys()]).map((name) =>
    numberRow(`kept by ${name}`, [before.get(name)?.kept.documents, after.get(name)?.kept.documents], count),
  )
}

/** Those of the left, and before each of them what only the right has before it. */
function inOrderOfBoth(left: readonly string[], right: readonly string[]): readonly string[] {
  const known = new Set(left)
  let next = 0
  const before = (end: number): readonly string[] => {
    const added = right.slice(next, end).filter((name) => !known.has(name))
    next = Math.max(next, end)
    return added
  }
  return [...left.flatMap((name) => [...before(right.indexOf(name) + 1), name]), ...before(right.length)]
}

function named(steps: readonly StepFigures[]): ReadonlyMap<string, StepFigures> {
  const found = new Map<string, StepFigures>()
  const times = new Map<string, number>()
  for (const step of steps) {
    const time = (times.get(step.step) ?? 0) + 1
    times.set(step.step, time)
    found.set(time === 1 ? step.step : `${step.step} (${time})`, step)
  }
  return found
}

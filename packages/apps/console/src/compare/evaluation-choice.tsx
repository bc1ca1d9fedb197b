// Which two evaluations of a project are compared. Those that can be compared with the second come first.

import { type ReactNode, useMemo } from 'react'
import { itemsOf } from '../runs/api.ts'
import { useResource } from '../runs/use-live.ts'
import { showFigure } from '../registry/figure-text.ts'
import { type ScoredEvaluation, scoredEvaluation } from '../registry/scored-evaluation.ts'
import { Empty } from '../ui/card.tsx'
import { Select } from '../ui/fields.tsx'
import { ComparedEvaluations } from './evaluations.tsx'

type Pair = { readonly left: string; readonly right: string }

type EvaluationChoiceProps = {
  readonly project: string
  readonly state: Pair
  readonly change: (part: Partial<Pair>) => void
}

export function EvaluationChoice({ project, state, change }: EvaluationChoiceProps): ReactNode {
  const evaluations = useEvaluations(project) ?? []
  const { left, right } = pairOf(evaluations, state)
  const second = evaluations.find(({ id }) => id === right)
  const name = (each: ScoredEvaluation): string => `${each.name}${each.score ? ` (${showFigure(each.score.value)})` : ''}`
  const others = evaluations.filter(({ id }) => id !== right).toSorted((a, b) => Number(isLike(b, second)) - Number(isLike(a, second)))
  return (
    <>
      <Select
        label="First"
        value={left}
        options={others.map((each) => ({ id: each.id, name: isLike(each, second) ? name(each) : `${name(each)}, not comparable` }))}
        onChange={(id) => change({ left: id })}
      />
      <Select
        label="Second"
        value={right}
        options={evaluations.map((each) => ({ id: each.id, name: name(each) }))}
        onChange={(id) => change({ right: id, left: '' })}
      />
    </>
  )
}

export function ChosenEvaluations({ project, ...state }: Pair & { readonly project: string }): ReactNode {
  const evaluations = useEvaluations(project)
  const { left, right } = pairOf(evaluations ?? [], state)
  if (!evaluations) return <Empty>Loading…</Empty>
  return left === '' || right === '' ? (
    <Empty>
      Two evaluations are needed. <code>ironlaw evaluate run SPEC --to results --keep-texts</code> makes one, and{' '}
      <code>ironlaw artifact add results --type evaluation</code> adds it.
    </Empty>
  ) : (
    <ComparedEvaluations key={`${left} ${right}`} project={project} left={left} right={right} />
  )
}

/** Enough to choose from; a link from the page of a version names others. */
const MOST = 200

function useEvaluations(project: string): readonly ScoredEvaluation[] | undefined {
  const found = itemsOf(useResource('listArtifacts', { project, query: { type: 'evaluation', limit: MOST } }, 0))
  return useMemo(() => found?.map(scoredEvaluation), [found])
}

const isLike = (one: ScoredEvaluation, other: ScoredEvaluation | undefined): boolean =>
  other !== undefined && one.instrument === other.instrument && one.items === other.items

/** Without a choice the newest, against the newest that it can be compared with. */
function pairOf(evaluations: readonly ScoredEvaluation[], { left, right }: Pair): Pair {
  const second = right || (evaluations[0]?.id ?? '')
  const known = evaluations.find(({ id }) => id === second)
  const others = evaluations.filter(({ id }) => id !== second)
  return { left: left || (others.find((each) => isLike(each, known)) ?? others[0])?.id || '', right: second }
}

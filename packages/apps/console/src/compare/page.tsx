// Two runs, two plans, two revisions or two evaluations side by side; the address holds which.

import type { RunView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { ReactNode } from 'react'
import { oneOf, type State, text } from '../address.ts'
import { itemsOf } from '../runs/api.ts'
import { useResource } from '../runs/use-live.ts'
import { ProjectFilter } from '../shell/project-filter.tsx'
import { useProject, useProjects } from '../shell/use-projects.ts'
import { Empty } from '../ui/card.tsx'
import { Connected } from '../ui/connected.tsx'
import { Segments, Select } from '../ui/fields.tsx'
import { useAddress } from '../use-address.ts'
import { ChosenEvaluations, EvaluationChoice } from './evaluation-choice.tsx'
import { ComparedPlans } from './plans.tsx'
import { ComparedRevisions } from './revisions.tsx'
import { ComparedRuns } from './runs.tsx'

const KINDS = ['runs', 'plans', 'revisions', 'evaluations'] as const

const COMPARE = { kind: oneOf(KINDS), left: text(''), right: text(''), deployment: text('') }

export type CompareState = State<typeof COMPARE>

export function ComparePage(): ReactNode {
  const [state, change] = useAddress('compare', COMPARE)
  return <Connected title="Compare">{() => <Compare state={state} change={change} />}</Connected>
}

type CompareProps = { readonly state: CompareState; readonly change: (part: Partial<CompareState>) => void }
type Option = { readonly id: string; readonly name: string }

function Compare({ state, change }: CompareProps): ReactNode {
  const project = useProject()
  const projects = useProjects()
  const of = project || projects?.[0]
  const runs = itemsOf(useResource('listRuns', { query: { limit: 100, ...(project !== '' && { project }) } }, 0)) ?? []
  const deployments = itemsOf(useResource('listDeployments', {}, 0)) ?? []
  const known = { runs, deployments: deployments.filter((each) => project === '' || each.project === project) }
  const options = optionsOf(state, known)
  const [left, right] = [state.left || (options[0]?.id ?? ''), state.right || (options[1]?.id ?? '')]
  const deployment = known.deployments.find(({ name }) => name === state.deployment) ?? known.deployments[0]
  return (
    <>
      <header className="page-head">
        <h1>Compare</h1>
        <ProjectFilter projects={projects} />
        <Segments label="Of" value={state.kind} options={KINDS} onChange={(kind) => change({ kind, left: '', right: '' })} />
        {state.kind === 'revisions' && known.deployments.length > 0 && (
          <Select
            label="Deployment"
            value={deployment?.name ?? ''}
            options={known.deployments.map(({ name }) => ({ id: name, name }))}
            onChange={(name) => change({ deployment: name, left: '', right: '' })}
          />
        )}
        {state.kind === 'evaluations' && of !== undefined && <EvaluationChoice project={of} state={state} change={change} />}
        {options.length > 0 && (
          <>
            <Select label="First" value={left} options={options} onChange={(id) => change({ left: id })} />
            <Select label="Second" value={right} options={options} onChange={(id) => change({ right: id })} />
          </>
        )}
      </header>
      {state.kind === 'evaluations' ? (
        of !== undefined && <ChosenEvaluations project={of} left={state.left} right={state.right} />
      ) : left === '' || right === '' ? (
        <Empty>{emptyText(state.kind)}</Empty>
      ) : state.kind === 'runs' ? (
        <ComparedRuns key={`${left} ${right}`} left={left} right={right} />
      ) : state.kind === 'plans' ? (
        <ComparedPlans left={left} right={right} />
      ) : (
        deployment && <ComparedRevisions deployment={deployment} left={Number(left)} right={Number(right)} />
      )}
    </>
  )
}

type ComparableItems = { readonly runs: readonly RunView[]; readonly deployments: readonly DeploymentView[] }

function optionsOf({ kind, deployment }: CompareState, { runs, deployments }: ComparableItems): readonly Option[] {
  if (kind === 'runs') return runs.map(({ id, name, state }) => ({ id, name: `${name} (${id}, ${state})` }))
  if (kind === 'evaluations') return []
  if (kind === 'plans') return plansOf({ runs, deployments })
  const chosen = deployments.find(({ name }) => name === deployment) ?? deployments[0]
  return (chosen?.revisions ?? []).toReversed().map(({ number, model }) => ({ id: String(number), name: `${number} (${model})` }))
}

/** Plans that runs or deployments were started with. */
function plansOf({ runs, deployments }: ComparableItems): readonly Option[] {
  const named = new Map<string, string>()
  for (const { plan, name } of runs) named.set(plan, named.get(plan) ?? `run ${name}`)
  for (const { name, revisions } of deployments)
    for (const { plan, number } of revisions) if (plan !== undefined) named.set(plan, named.get(plan) ?? `${name}, revision ${number}`)
  return [...named].map(([id, of]) => ({ id, name: `${id} (${of})` }))
}

const emptyText = (kind: Exclude<CompareState['kind'], 'evaluations'>): string =>
  ({
    runs: 'Two runs are needed. Start one under Train, or with "ironlaw apply train.yaml".',
    plans: 'Two plans are needed. A plan is kept when something is started with it; "ironlaw plan diff A.json B.json" compares files.',
    revisions: 'A deployment with two revisions is needed. Apply a changed spec: "ironlaw apply serve.yaml".',
  })[kind]

// The revision being rolled out: each guardrail is a sequential test whose evidence moves between two bounds.

import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'
import { isRolling } from '@ironlaw/contracts'
import type { DeploymentView, RolloutOrder } from '@ironlaw/contracts/deployment-api'
import { type ReactNode, useState } from 'react'
import { showPercent } from '@ironlaw/units'
import { showAgo, showDuration } from '../runs/run-words.tsx'
import { call, type Problem } from '../runs/api.ts'
import { useAllowed } from '../shell/use-grants.ts'
import { ConfirmButton } from '../ui/ask-first.tsx'
import { Card } from '../ui/card.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { EvidencePlot } from './evidence-plot.tsx'
import { GuardrailTable } from './guardrail-table.tsx'

type Rollout = NonNullable<DeploymentView['rollout']>

export type RolloutViewProps = {
  readonly rollout: Rollout
  /** The revision to roll back to, if there is one. */
  readonly previous: DeploymentView['previous']
  readonly figures: DeploymentFigures | undefined
  readonly name: string
  readonly project: string
  readonly onOrdered: () => void
}

export function RolloutView({ rollout, previous, figures, name, project, onOrdered }: RolloutViewProps): ReactNode {
  const isOperator = useAllowed('orderRollout', project)
  const { revision, state, stage, share, since_at, why, outputs } = rollout
  const trail = figures?.trail?.revision === revision ? figures.trail : undefined
  const rolling = isRollingView(rollout)
  const stages = figures?.rule.shares ?? []
  return (
    <Card title={`Rollout of revision ${revision}`} wide busy={!figures} aside={<RolloutChip state={state} />}>
      <p className="about">
        {rolling ? `Receives ${showPercent(share, 0)} of the traffic` : 'Receives no canary traffic'}
        {rolling && stages.length > 0
          ? `, stage ${stage + 1} of ${stages.length} (${stages.map((each) => showPercent(each, 0)).join(', ')})`
          : ''}
        ; {state.replace('-', ' ')} {showAgo(since_at)}. {why !== '' && <strong>{capital(why)}.</strong>}
      </p>
      {outputs && <p>{outputsText(outputs)}</p>}
      {isOperator && rolling && <Orders rollout={rollout} name={name} onOrdered={onOrdered} />}
      {isOperator && previous && <Rollback previous={previous} name={name} onOrdered={onOrdered} />}
      {figures && (
        <div className="trial">
          <EvidencePlot trail={trail} rule={figures.rule} />
          <GuardrailTable rollout={rollout} rule={figures.rule} trail={trail} />
        </div>
      )}
      {figures && rolling && (
        <p className="quiet">
          Evidence is the logarithm of how much likelier the answers are under "worse by the allowed margin" than under "as good". A stage
          that stays undecided for {showDuration(figures.rule.stage_s)} waits for a decision; nothing undecided is promoted.
        </p>
      )}
    </Card>
  )
}

function outputsText({ pairs, length_ratio, compared, same, agreement }: NonNullable<Rollout['outputs']>): string {
  const lengths = `${pairs} answers to copies of requests, ${length_ratio.toFixed(2)} times as long as those that clients received`
  if (compared === 0) return `${lengths}; none was to a deterministic request, so words were not compared.`
  const words = `${showPercent(same, 1)} of the ${compared} to deterministic requests have the same words`
  return `${lengths}; ${words}, the others agree on the first ${showPercent(same < 1 ? (agreement - same) / (1 - same) : 1, 0)} of theirs.`
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

export const isRollingView = ({ revision, stable, state, stage, since_at }: Rollout): boolean =>
  isRolling({ revision, stable, state, stage, since: since_at })

const RolloutChip = ({ state }: Pick<Rollout, 'state'>): ReactNode => (
  <span className={`chip ${state === 'promoted' ? 'good' : state === 'rolled-back' ? 'bad' : 'plain'}`}>{state.replace('-', ' ')}</span>
)

type RollbackProps = Pick<RolloutViewProps, 'name' | 'onOrdered'> & { readonly previous: NonNullable<DeploymentView['previous']> }

function Rollback({ previous: { revision, warm, until_at }, name, onOrdered }: RollbackProps): ReactNode {
  const [problem, setProblem] = useState<Problem>()
  const order = async (): Promise<void> => {
    const answer = await call('orderRollout', { name, body: { do: 'back' } })
    setProblem(answer.ok ? undefined : answer)
    onOrdered()
  }
  return (
    <>
      <div className="row orders">
        <ConfirmButton really={`Confirm: return all traffic to revision ${revision}`} onAgreed={() => void order()}>
          {`Back to revision ${revision}`}
        </ConfirmButton>
        <span className="quiet">
          {until_at === undefined
            ? 'no longer kept ready: its replicas start first'
            : `${warm} replicas kept ready for ${showDuration(Math.max(0, until_at - Date.now() / 1000))} more`}
        </span>
      </div>
      {problem && <Refusal problem={problem} />}
    </>
  )
}

function Orders({ rollout, name, onOrdered }: Omit<RolloutViewProps, 'figures' | 'previous' | 'project'>): ReactNode {
  const [problem, setProblem] = useState<Problem>()
  const order = async (what: RolloutOrder): Promise<void> => {
    const answer = await call('orderRollout', { name, body: { do: what } })
    setProblem(answer.ok ? undefined : answer)
    onOrdered()
  }
  const { revision, state, asked } = rollout
  return (
    <>
      <div className="row orders">
        {state === 'paused' ? (
          <ConfirmButton really={`Confirm: resume ${revision}`} onAgreed={() => void order('resume')}>
            Resume
          </ConfirmButton>
        ) : (
          <ConfirmButton really={`Confirm: pause ${revision}`} onAgreed={() => void order('pause')} disabled={state === 'shadow'}>
            Pause
          </ConfirmButton>
        )}
        <ConfirmButton really={`Confirm: promote ${revision}`} onAgreed={() => void order('promote')}>
          Promote
        </ConfirmButton>
        <ConfirmButton really={`Confirm: roll back ${revision}`} onAgreed={() => void order('rollback')}>
          Roll back
        </ConfirmButton>
        {asked && <span className="quiet">{asked} requested</span>}
      </div>
      {problem && <Refusal problem={problem} />}
    </>
  )
}

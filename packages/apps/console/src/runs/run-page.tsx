// One run: its progress compared with its plan, where its time went, what happened to it.

import { isTerminal } from '@ironlaw/contracts'
import type { AttemptView, CheckpointView, RunView } from '@ironlaw/contracts/api'
import type { Ledger } from '@ironlaw/contracts/ledger'
import type { RunPlan } from '@ironlaw/contracts/run-plan'
import type { ReactNode } from 'react'
import { ConfirmButton } from '../ui/ask-first.tsx'
import { Empty } from '../ui/card.tsx'
import { Fact } from '../ui/fact.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { type ApiResult, post } from './api.ts'
import { AttemptsView } from './attempts-view.tsx'
import { CheckpointsView } from './checkpoints-view.tsx'
import { EventsView } from './events-view.tsx'
import { LedgerView } from './ledger-view.tsx'
import { LogView } from './log-view.tsx'
import { LossView, PaceView, SystemView } from './progress-view.tsx'
import { showDuration, StateChip } from './run-words.tsx'
import { SetupView } from './setup-view.tsx'
import { SlowestView } from './slowest-view.tsx'
import { type LiveEvents, useEvents, useResource, useSteps } from './use-live.ts'

type List<T> = { readonly items: readonly T[] }

export type RunPageProps = {
  readonly id: string
  readonly rank: number
  readonly onRank: (rank: number) => void
}

export function RunPage({ id, rank, onRank }: RunPageProps): ReactNode {
  const at = `/v1/runs/${encodeURIComponent(id)}`
  const live = useEvents(`${at}/events`)
  const run = useResource<RunView>(at, live.burst)
  return (
    <>
      <a className="link" href="#/runs">
        ← All runs
      </a>
      {!run && <Empty>Loading…</Empty>}
      {run && !run.ok && <Refusal problem={run} />}
      {run?.ok && <RunDetails run={run.value} live={live} at={at} rank={rank} onRank={onRank} />}
    </>
  )
}

type RunDetailsProps = Pick<RunPageProps, 'rank' | 'onRank'> & { readonly run: RunView; readonly live: LiveEvents; readonly at: string }

function RunDetails({ run, live: { events, burst }, at, rank, onRank }: RunDetailsProps): ReactNode {
  const rows = useSteps(at, burst)
  const attempts = useResource<List<AttemptView>>(`${at}/attempts`, burst)
  const checkpoints = useResource<List<CheckpointView>>(`${at}/checkpoints`, burst)
  const ledger = useResource<Ledger>(`${at}/ledger`, burst)
  const plan = useResource<{ readonly body: RunPlan }>(`/v1/plans/${run.plan}`, burst)
  const prediction = plan?.ok && plan.value.body.kind === 'TrainingPlan' ? plan.value.body.prediction : undefined
  return (
    <>
      <RunHead run={run} at={at} />
      <div className="cards">
        <LossView steps={rows} />
        <PaceView steps={plan && rows} prediction={prediction} />
        <AttemptsView run={run} attempts={itemsOf(attempts)} checkpoints={itemsOf(checkpoints) ?? []} />
        {ledger?.ok && <LedgerView ledger={ledger.value} />}
        <SystemView steps={rows} />
        <SlowestView steps={rows} />
        <CheckpointsView checkpoints={itemsOf(checkpoints)} />
        <SetupView run={run} plan={plan?.ok ? plan.value.body : undefined} />
        <EventsView events={events} />
        <LogView run={run} at={at} rank={rank} onRank={onRank} />
      </div>
    </>
  )
}

/** Undefined until the first answer, empty if it was refused. */
const itemsOf = <T,>(answer: ApiResult<List<T>> | undefined): readonly T[] | undefined => (answer?.ok ? answer.value.items : answer && [])

function RunHead({ run, at }: Pick<RunDetailsProps, 'run' | 'at'>): ReactNode {
  const left =
    run.steps !== undefined && run.step !== undefined && run.step_s !== undefined ? (run.steps - run.step) * run.step_s : undefined
  return (
    <section className="headline" aria-label="The run">
      <p className="strategy">
        <strong className="run-name">{run.name}</strong>
        <StateChip state={run.state} />
        <span className="quiet">{run.why || run.outcome?.detail}</span>
        {!isTerminal(run.state) && (
          <ConfirmButton really="Confirm cancel" onAgreed={() => void post(`${at}/cancel`)}>
            Cancel
          </ConfirmButton>
        )}
        {isTerminal(run.state) && run.state !== 'succeeded' && (
          <ConfirmButton really="Confirm resume" onAgreed={() => void post(`${at}/resume`)}>
            Resume
          </ConfirmButton>
        )}
      </p>
      <dl className="numbers">
        <Fact
          label="Step"
          value={run.step === undefined ? '–' : String(run.step)}
          about={run.step === undefined ? 'none reported' : run.steps === undefined ? '' : `of ${run.steps}`}
        />
        <Fact label="Loss" value={run.loss?.toFixed(3) ?? '–'} about="" />
        <Fact
          label="Step time"
          value={showDuration(run.step_s) || '–'}
          about={run.predicted_step_s === undefined ? '' : `predicted ${showDuration(run.predicted_step_s)}`}
        />
        <Fact
          label="Time left"
          value={isTerminal(run.state) ? '–' : showDuration(left) || '–'}
          about={left === undefined || isTerminal(run.state) ? '' : 'at this pace'}
        />
        <Fact label="Checkpoint" value={run.checkpoint_step === undefined ? '–' : String(run.checkpoint_step)} about="newest step kept" />
        <Fact
          label="Attempt"
          value={String(run.attempt)}
          about={`${run.shape.nodes} ${run.shape.nodes === 1 ? 'node' : 'nodes'} × ${run.shape.processesPerNode} ranks`}
        />
      </dl>
    </section>
  )
}

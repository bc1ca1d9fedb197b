// One run: how it goes against its plan, where its time went, what happened to it.

import { isTerminal } from '@ironlaw/contracts'
import type { AttemptView, CheckpointView, RunView } from '@ironlaw/contracts/api'
import type { Ledger } from '@ironlaw/contracts/ledger'
import type { RunPlan } from '@ironlaw/contracts/run-plan'
import type { ReactNode } from 'react'
import { AskFirst } from '../ui/ask-first.tsx'
import { Empty } from '../ui/card.tsx'
import { Fact } from '../ui/fact.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { type Answer, post } from './api.ts'
import { AttemptsView } from './attempts-view.tsx'
import { CheckpointsView } from './checkpoints-view.tsx'
import { EventsView } from './events-view.tsx'
import { LedgerView } from './ledger-view.tsx'
import { LogView } from './log-view.tsx'
import { LossView, PaceView, SystemView } from './progress-view.tsx'
import { duration, StateChip } from './run-words.tsx'
import { SetupView } from './setup-view.tsx'
import { SlowestView } from './slowest-view.tsx'
import { type Live, useEvents, useLive, useSteps } from './use-live.ts'

type List<T> = { readonly items: readonly T[] }

export type RunPageProps = {
  readonly id: string
  readonly rank: number
  readonly onRank: (rank: number) => void
}

export function RunPage({ id, rank, onRank }: RunPageProps): ReactNode {
  const at = `/v1/runs/${encodeURIComponent(id)}`
  const live = useEvents(`${at}/events`)
  const run = useLive<RunView>(at, live.burst)
  return (
    <>
      <a className="link" href="#/runs">
        ← All runs
      </a>
      {!run && <Empty>Loading…</Empty>}
      {run && !run.ok && <Refusal problem={run} />}
      {run?.ok && <Told run={run.value} live={live} at={at} rank={rank} onRank={onRank} />}
    </>
  )
}

type ToldProps = Pick<RunPageProps, 'rank' | 'onRank'> & { readonly run: RunView; readonly live: Live; readonly at: string }

function Told({ run, live: { events, burst }, at, rank, onRank }: ToldProps): ReactNode {
  const rows = useSteps(at, burst)
  const attempts = useLive<List<AttemptView>>(`${at}/attempts`, burst)
  const checkpoints = useLive<List<CheckpointView>>(`${at}/checkpoints`, burst)
  const ledger = useLive<Ledger>(`${at}/ledger`, burst)
  const plan = useLive<{ readonly body: RunPlan }>(`/v1/plans/${run.plan}`, burst)
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

/** Undefined while nothing came yet, empty where it was refused. */
const itemsOf = <T,>(answer: Answer<List<T>> | undefined): readonly T[] | undefined => (answer?.ok ? answer.value.items : answer && [])

function RunHead({ run, at }: Pick<ToldProps, 'run' | 'at'>): ReactNode {
  const left =
    run.steps !== undefined && run.step !== undefined && run.step_s !== undefined ? (run.steps - run.step) * run.step_s : undefined
  return (
    <section className="headline" aria-label="The run">
      <p className="strategy">
        <strong className="run-name">{run.name}</strong>
        <StateChip state={run.state} />
        <span className="quiet">{run.why || run.outcome?.detail}</span>
        {!isTerminal(run.state) && (
          <AskFirst really="Confirm cancel" onAgreed={() => void post(`${at}/cancel`)}>
            Cancel
          </AskFirst>
        )}
        {isTerminal(run.state) && run.state !== 'succeeded' && (
          <AskFirst really="Confirm resume" onAgreed={() => void post(`${at}/resume`)}>
            Resume
          </AskFirst>
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
          value={duration(run.step_s) || '–'}
          about={run.predicted_step_s === undefined ? '' : `predicted ${duration(run.predicted_step_s)}`}
        />
        <Fact
          label="Time left"
          value={isTerminal(run.state) ? '–' : duration(left) || '–'}
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

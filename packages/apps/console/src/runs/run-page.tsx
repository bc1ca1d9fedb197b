// One run: its progress compared with its plan, where its time went, what happened to it.

import { isTerminal } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import type { RunPlan } from '@ironlaw/contracts/run-plan'
import type { ReactNode } from 'react'
import { keepProject } from '../places.ts'
import { ConfirmButton } from '../ui/ask-first.tsx'
import { Empty } from '../ui/card.tsx'
import { Fact } from '../ui/fact.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { useAllowed } from '../shell/use-grants.ts'
import { call, itemsOf } from './api.ts'
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
import { usePlan } from './use-plan.ts'

export type RunPageProps = {
  readonly id: string
  readonly rank: number
  readonly onRank: (rank: number) => void
}

export function RunPage({ id, rank, onRank }: RunPageProps): ReactNode {
  const live = useEvents('listRunEvents', { id })
  const run = useResource('getRun', { id }, live.burst)
  return (
    <>
      <a className="link" href={keepProject('#/runs')}>
        ← All runs
      </a>
      {!run && <Empty>Loading…</Empty>}
      {run && !run.ok && <Refusal problem={run} />}
      {run?.ok && <RunDetails run={run.value} live={live} rank={rank} onRank={onRank} />}
    </>
  )
}

type RunDetailsProps = Pick<RunPageProps, 'rank' | 'onRank'> & { readonly run: RunView; readonly live: LiveEvents }

function RunDetails({ run, live: { events, burst }, rank, onRank }: RunDetailsProps): ReactNode {
  const { id } = run
  const steps = useSteps(id, burst)
  const rows = steps?.rows
  const attempts = useResource('listAttempts', { id }, burst)
  const checkpoints = useResource('listCheckpoints', { id }, burst)
  const ledger = useResource('getLedger', { id }, burst)
  const plan = usePlan<RunPlan>(run.plan, burst)
  const prediction = plan?.ok && plan.value.kind === 'TrainingPlan' ? plan.value.prediction : undefined
  return (
    <>
      <RunHead run={run} />
      <div className="cards">
        <LossView run={run} steps={rows} spikes={steps?.spikes ?? []} />
        <PaceView steps={plan && rows} prediction={prediction} />
        <AttemptsView run={run} attempts={itemsOf(attempts)} checkpoints={itemsOf(checkpoints) ?? []} />
        {ledger?.ok && <LedgerView ledger={ledger.value} />}
        <SystemView steps={rows} />
        <SlowestView steps={rows} />
        <CheckpointsView checkpoints={itemsOf(checkpoints)} />
        <SetupView run={run} plan={plan?.ok ? plan.value : undefined} />
        <EventsView events={events} />
        <LogView run={run} rank={rank} onRank={onRank} />
      </div>
    </>
  )
}

function RunHead({ run }: Pick<RunDetailsProps, 'run'>): ReactNode {
  const isMember = useAllowed('cancelRun', run.project)
  const left =
    run.steps !== undefined && run.step !== undefined && run.step_s !== undefined ? (run.steps - run.step) * run.step_s : undefined
  return (
    <section className="headline" aria-label="The run">
      <p className="strategy">
        <strong className="run-name">{run.name}</strong>
        <StateChip state={run.state} />
        <span className="quiet">{[run.project, run.why || run.outcome?.detail].filter(Boolean).join(' · ')}</span>
        {isMember && !isTerminal(run.state) && (
          <ConfirmButton really="Confirm cancel" onAgreed={() => void call('cancelRun', { id: run.id })}>
            Cancel
          </ConfirmButton>
        )}
        {isMember && isTerminal(run.state) && run.state !== 'succeeded' && (
          <ConfirmButton really="Confirm resume" onAgreed={() => void call('resumeRun', { id: run.id })}>
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

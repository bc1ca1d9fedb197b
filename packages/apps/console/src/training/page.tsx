// The studio for training plans: the question on one side, its answer in charts on the other.

import type { TrainingPlan } from '@ironlaw/contracts'
import { type ReactNode, useCallback, useDeferredValue, useMemo } from 'react'
import { type Port, portOf } from '../latest-wins.ts'
import { RunCard } from '../launch/run-card.tsx'
import { DerivationPanel } from '../ui/derivation-panel.tsx'
import { controlChange } from '../specs/spec-rest.ts'
import { Results } from '../ui/results.tsx'
import { OpenWhy } from '../ui/why.tsx'
import { useAddress } from '../use-address.ts'
import { type WorkerAnswers, type WorkerReply, useAnswers } from '../use-answers.ts'
import type { Choices, Details, PlanAnswer, SlowAnswer } from './answer.ts'
import { CloudView } from './cloud-view.tsx'
import { Controls } from './controls.tsx'
import { EconomicsView } from './economics-view.tsx'
import { ExportView } from './export-view.tsx'
import { FailuresView } from './failures-view.tsx'
import { FrontView } from './front-view.tsx'
import { Headline } from './headline.tsx'
import { CapacityView } from '../ui/capacity-view.tsx'
import { MemoryView } from './memory-view.tsx'
import { PipelineView } from './pipeline-view.tsx'
import { PlansView } from './plans-view.tsx'
import { TRAINING, type TrainingState } from './question.ts'
import { RooflineView } from './roofline-view.tsx'
import { StepView } from './step-view.tsx'
import { SuggestionsView } from './suggestions-view.tsx'
import { writtenTrainSpec } from './written-spec.ts'

type Planner = WorkerAnswers<Choices, PlanAnswer, SlowAnswer>

type PlannerReply = WorkerReply<Choices, PlanAnswer, SlowAnswer>

function startWorker(tell: (replied: PlannerReply) => void): Port {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<PlannerReply>) => tell(data))
  return portOf(worker)
}

const controlled = controlChange<TrainingState>(writtenTrainSpec)

const selectedPlan = ({ details }: PlanAnswer): TrainingPlan | undefined => details?.plan

export function TrainingPage(): ReactNode {
  const [state, setPart] = useAddress('train', TRAINING)
  const { why, export: _, ...question } = state
  const planner: Planner = useAnswers({ start: startWorker, question, looked: selectedPlan })
  const { quick: answer, refused, busy } = planner
  const change = useCallback((part: Partial<TrainingState>) => setPart(controlled(part)), [setPart])
  const setRest = useCallback((rest: string) => setPart({ rest, rank: 0 }), [setPart])
  const close = useCallback(() => change({ why: '' }), [change])
  const open = useCallback((name: string) => change({ why: name }), [change])
  const known = useMemo(() => planner.slow?.derivations?.[why] ?? derivationOf(answer?.details, why), [answer, planner.slow, why])
  return (
    <OpenWhy value={open}>
      <div className="studio">
        <Controls state={state} choices={planner.choices} onChange={change} onRest={setRest} />
        <Results busy={busy} refused={refused} said={statusText(answer)}>
          {answer && <AnswerView answer={answer} planner={planner} state={state} change={change} />}
        </Results>
        {why !== '' && answer && <DerivationPanel name={why} known={known} onClose={close} />}
      </div>
    </OpenWhy>
  )
}

const derivationOf = (details: Details | undefined, why: string): Details['derivations'][string] | undefined =>
  why === 'ridge' ? details?.roofline.ridge : details?.derivations[why]

const statusText = (answer: PlanAnswer | undefined): string =>
  answer?.details ? `Planned: ${answer.details.plan.id}` : (answer?.nothing?.change ?? '')

type AnswerViewProps = {
  readonly answer: PlanAnswer
  readonly planner: Planner
  readonly state: TrainingState
  readonly change: (part: Partial<TrainingState>) => void
}

function AnswerView({ answer, planner, state, change }: AnswerViewProps): ReactNode {
  const { details, warnings, violated } = answer
  const { slow, slowBusy } = planner
  // Cards below the fold are drawn after the visible ones, and skipped if the next answer arrives first.
  const later = useDeferredValue(answer)
  const below = later.details
  const pickFleet = useCallback((devices: number) => change({ devices, goal: 'time', rank: 0 }), [change])
  const pickPlan = useCallback((rank: number) => change({ rank }), [change])
  const pickTarget = useCallback((target: string) => change({ export: target }), [change])
  return (
    <>
      {[...violated, ...warnings].map((warning) => (
        <p key={warning} className="warning">
          {warning}
        </p>
      ))}
      <Headline answer={answer} asked={state.devices} onDevices={pickFleet} />
      {slow && !slowBusy && <SuggestionsView suggestions={slow.suggestions} onTake={change} />}
      {answer.nothing && answer.nothing.stages.length > 0 && (
        <div className="cards">
          <MemoryView stages={answer.nothing.stages} limit={answer.limit_bytes} explained={false} wide />
          <PlansView answer={answer} rank={-1} onPick={pickPlan} />
        </div>
      )}
      {details && (
        <div className="cards">
          <StepView causes={details.causes} hidden={details.hidden} />
          <FrontView front={slow?.front} current={details.plan} busy={slowBusy} onPick={pickFleet} />
          <MemoryView stages={details.stages} limit={answer.limit_bytes} explained />
          <CapacityView
            title="How full the hardware is"
            about="What a step puts on each resource of a device, of what the device has. The fullest decides what helps."
            capacities={details.plan.prediction.capacities}
          />
          {below && <RooflineView roofline={below.roofline} />}
          <PipelineView passes={slow?.passes} busy={slowBusy} />
          {below && <EconomicsView plan={below.plan} sensitivities={below.sensitivities} />}
          <FailuresView failures={slow?.failures} ready={slow !== undefined} busy={slowBusy} />
          <CloudView cloud={slow?.cloud} busy={slowBusy} />
          <PlansView answer={later} rank={state.rank} onPick={pickPlan} />
          {below && (
            <RunCard startable={below.startable} losses={slowBusy ? undefined : slow?.losses} violated={violated} config={state.config} />
          )}
          <ExportView plan={(below ?? details).plan} target={state.export} onTarget={pickTarget} />
        </div>
      )}
    </>
  )
}

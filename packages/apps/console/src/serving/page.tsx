// The studio for deployments: traffic and objectives on one side, the deployments that meet them on the other.

import type { ServingPlan } from '@ironlaw/contracts'
import { exportServing, SERVING_TARGETS, type ServingTarget } from '@ironlaw/exporters'
import { type ReactNode, useCallback } from 'react'
import { type Port, portOf } from '../latest-wins.ts'
import { DeploymentCard } from '../launch/deployment-card.tsx'
import { DerivationPanel } from '../ui/derivation-panel.tsx'
import { ExportCard } from '../ui/export-card.tsx'
import { controlChange } from '../specs/spec-rest.ts'
import { Results } from '../ui/results.tsx'
import { OpenWhy } from '../ui/why.tsx'
import { useAddress } from '../use-address.ts'
import { type WorkerAnswers, type WorkerReply, useAnswers } from '../use-answers.ts'
import type { ServingAnswer, ServingChoices, SlowServingAnswer } from './answer.ts'
import { ServingControls } from './controls.tsx'
import { DayView } from './day-view.tsx'
import { SimulatedLatencyView } from './felt-view.tsx'
import { ServingFront } from './front-view.tsx'
import { ServingHeadline } from './headline.tsx'
import { ServingPlans } from './plans-view.tsx'
import { SERVING, type ServingState } from './question.ts'
import { CapacityView } from '../ui/capacity-view.tsx'
import { DecodeStepView } from './step-view.tsx'
import { writtenServeSpec } from './written-spec.ts'

type Planner = WorkerAnswers<ServingChoices, ServingAnswer, SlowServingAnswer>

type PlannerReply = WorkerReply<ServingChoices, ServingAnswer, SlowServingAnswer>

function startWorker(tell: (replied: PlannerReply) => void): Port {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<PlannerReply>) => tell(data))
  return portOf(worker)
}

const controlled = controlChange<ServingState>(writtenServeSpec)

const selectedPlan = ({ looked }: ServingAnswer): ServingPlan | undefined => looked

export function ServingPage(): ReactNode {
  const [state, setPart] = useAddress('serve', SERVING)
  const { export: _, night: __, why, ...question } = state
  const planner: Planner = useAnswers({ start: startWorker, question, looked: selectedPlan })
  const change = useCallback((part: Partial<ServingState>) => setPart(controlled(part)), [setPart])
  const setRest = useCallback((rest: string) => setPart({ rest, rank: 0 }), [setPart])
  const open = useCallback((name: string) => change({ why: name }), [change])
  const close = useCallback(() => change({ why: '' }), [change])
  return (
    <OpenWhy value={open}>
      <div className="studio">
        <ServingControls state={state} choices={planner.choices} onChange={change} onRest={setRest} />
        <Results busy={planner.busy} refused={planner.refused} said={planner.quick?.looked?.id ?? planner.quick?.nothing ?? ''}>
          {planner.quick && <AnswerView answer={planner.quick} planner={planner} state={state} change={change} />}
        </Results>
        {why !== '' && planner.quick && <DerivationPanel name={why} known={planner.quick.derivations[why]} onClose={close} />}
      </div>
    </OpenWhy>
  )
}

const NAMES: Readonly<Record<ServingTarget, string>> = {
  vllm: 'vLLM',
  sglang: 'SGLang',
  'tensorrt-llm': 'TensorRT-LLM',
  kubernetes: 'Kubernetes',
}
const TARGET_NAMES = Object.keys(NAMES) as readonly ServingTarget[]

type AnswerViewProps = {
  readonly answer: ServingAnswer
  readonly planner: Planner
  readonly state: ServingState
  readonly change: (part: Partial<ServingState>) => void
}

function AnswerView({ answer, planner: { slow, slowBusy }, state, change }: AnswerViewProps): ReactNode {
  const { looked: plan, nothing, warnings } = answer
  const pickPlan = useCallback((rank: number) => change({ rank }), [change])
  const pickNight = useCallback((night: number) => change({ night }), [change])
  const tpot_s = state.tpot_ms / 1000
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} className="warning">
          {warning}
        </p>
      ))}
      {plan ? (
        <ServingHeadline plan={plan} />
      ) : (
        <section className="headline" aria-label="The plan">
          <p className="strategy">
            <span className="chip bad">No deployment meets this</span>
            <strong>{nothing}</strong>
          </p>
        </section>
      )}
      <div className="cards">
        <ServingFront front={slow?.front} tpot_s={tpot_s} busy={slowBusy} />
        {plan && <SimulatedLatencyView felt={slow?.felt} objectives={plan.objectives} busy={slowBusy} />}
        {plan && <DecodeStepView plan={plan} />}
        {plan?.pools.map(({ role, capacities }) => (
          <CapacityView
            key={role}
            title={role === 'all' ? 'How full a replica is' : `How full a replica for ${role} is`}
            about="At the most requests that it takes within the objectives, each resource of a device, of what the device has."
            capacities={capacities}
          />
        ))}
        {plan && <DayView plan={plan} night={state.night} onNight={pickNight} />}
        <ServingPlans answer={answer} rank={state.rank} onPick={pickPlan} />
        {answer.deployable && <DeploymentCard deployable={answer.deployable} config={state.config} />}
        {plan && (
          <ExportCard
            plan={plan}
            targets={TARGET_NAMES.map((id) => ({
              id,
              name: NAMES[id],
              about: SERVING_TARGETS[id].about,
              write: () => exportServing(plan, id),
            }))}
            open={state.export}
            onOpen={(target) => change({ export: target })}
          />
        )}
      </div>
    </>
  )
}

// The studio for reinforcement learning: engines and trainer as one plan.

import type { RlPlan } from '@ironlaw/contracts'
import { type ReactNode, useCallback } from 'react'
import { type Port, portOf } from '../latest-wins.ts'
import { SpecText } from '../launch/spec-text.tsx'
import { controlChange } from '../specs/spec-rest.ts'
import { CapacityView } from '../ui/capacity-view.tsx'
import { Card } from '../ui/card.tsx'
import { Results } from '../ui/results.tsx'
import { useAddress } from '../use-address.ts'
import { type WorkerReply, useAnswers } from '../use-answers.ts'
import { RlControls } from './controls.tsx'
import { RlHeadline } from './headline.tsx'
import { RlPlans } from './plans-view.tsx'
import { RL, type RlQuestion } from './question.ts'
import type { RlAnswer, RlChoices } from './rl-answer.ts'
import { RlStepView } from './step-view.tsx'
import { writtenRlSpec } from './written-spec.ts'

type PlannerReply = WorkerReply<RlChoices, RlAnswer, unknown>

function startWorker(tell: (replied: PlannerReply) => void): Port {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<PlannerReply>) => tell(data))
  return portOf(worker)
}

const controlled = controlChange<RlQuestion>(writtenRlSpec)

const selectedPlan = ({ looked }: RlAnswer): RlPlan | undefined => looked

export function RlPage(): ReactNode {
  const [state, setPart] = useAddress('rl', RL)
  const { choices, quick, refused, busy } = useAnswers({ start: startWorker, question: state, looked: selectedPlan })
  const change = useCallback((part: Partial<RlQuestion>) => setPart(controlled(part)), [setPart])
  const setRest = useCallback((rest: string) => setPart({ rest, rank: 0 }), [setPart])
  const pickPlan = useCallback((rank: number) => setPart({ rank }), [setPart])
  return (
    <div className="studio">
      <RlControls state={state} choices={choices} onChange={change} onRest={setRest} />
      <Results busy={busy} refused={refused} said={quick?.looked?.name ?? quick?.rejected[0] ?? ''}>
        {quick && <AnswerView answer={quick} state={state} onPick={pickPlan} />}
      </Results>
    </div>
  )
}

type AnswerViewProps = { readonly answer: RlAnswer; readonly state: RlQuestion; readonly onPick: (rank: number) => void }

const AnswerView = ({ answer, state, onPick }: AnswerViewProps): ReactNode => {
  const { looked: plan, warnings, steps, yaml } = answer
  return (
    <>
      {plan ? <RlHeadline plan={plan} steps={steps} /> : <NothingFits />}
      <div className="cards">
        {plan && <RlStepView plan={plan} />}
        {plan && (
          <CapacityView
            title="How full the engines are"
            about="Each resource of a device that generates, averaged over a step, waiting included."
            capacities={plan.generation.capacities}
          />
        )}
        <RlPlans answer={answer} rank={state.rank} onPick={onPick} />
        <Card title="Spec" wide about="Engines and trainer are planned here, and run with your own RL framework.">
          <SpecText file="rl.yaml" text={yaml} config={state.config} command="plan" />
        </Card>
        {warnings.length > 0 && (
          <Card title="Notes" wide>
            <ul className="plain-list">
              {warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Card>
        )}
      </div>
    </>
  )
}

const NothingFits = (): ReactNode => (
  <section className="headline" aria-label="The plan">
    <p className="strategy">
      <span className="chip bad">Does not fit</span>
      <strong>Use more or larger accelerators, or precision lora; the reasons are below.</strong>
    </p>
  </section>
)

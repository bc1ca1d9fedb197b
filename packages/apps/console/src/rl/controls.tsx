// The question: model, fleet, what a step generates and learns, and how far apart both sides may run.

import { memo, type ReactNode } from 'react'
import { Segments, Select } from '../ui/fields.tsx'
import { binaryLadder, decimalLadder } from '../ui/ladder.ts'
import { ModelField, modelName } from '../ui/model-field.tsx'
import { QuestionForm } from '../ui/question-form.tsx'
import { parseCount, Slider } from '../ui/slider.tsx'
import { RL, type RlQuestion } from './question.ts'
import type { RlChoices } from './rl-answer.ts'

const DEVICES = binaryLadder({ from: 8, to: 4096, parts: 2 })
const COUNTS = binaryLadder({ from: 1, to: 8192, parts: 1 })
const LENGTHS = decimalLadder({ from: 10, to: 100_000 })
const STEPS = decimalLadder({ from: 10, to: 100_000 })
const LAGS = [0, 1, 2, 3, 4, 6, 8, 16]

export type RlControlsProps = {
  readonly state: RlQuestion
  readonly choices: RlChoices | undefined
  readonly onChange: (part: Partial<RlQuestion>) => void
  /** Removes what an opened spec says beside the controls. */
  readonly onRest: (rest: string) => void
}

export const RlControls = memo(({ state, choices, onChange, onRest }: RlControlsProps): ReactNode => {
  const ask = (part: Partial<RlQuestion>): void => onChange({ ...part, rank: 0 })
  return (
    <QuestionForm
      title="Plan reinforcement learning"
      summary={`${modelName(state)} by ${state.algorithm.toUpperCase()} on ${state.devices.toLocaleString('en')} × ${state.accelerator}`}
      rest={state.rest}
      onRest={onRest}
    >
      <ModelField model={state.model} config={state.config} models={choices?.models ?? []} onChange={ask} />
      <Segments label="Algorithm" value={state.algorithm} options={['grpo', 'ppo']} onChange={(algorithm) => ask({ algorithm })} />
      <h2>Fleet</h2>
      <Select
        label="Accelerator"
        value={state.accelerator}
        options={choices?.accelerators ?? []}
        onChange={(accelerator) => ask({ accelerator })}
      />
      <CountSlider label="Accelerators" ladder={DEVICES} value={state.devices} onChange={(devices) => ask({ devices })} />
      <h2>Work</h2>
      <Work state={state} ask={ask} />
      <h2>Both sides</h2>
      <Sides state={state} ask={ask} precisions={choices?.precisions ?? []} />
    </QuestionForm>
  )
})

type PartProps = { readonly state: RlQuestion; readonly ask: (part: Partial<RlQuestion>) => void }

const Work = ({ state, ask }: PartProps): ReactNode => (
  <>
    <CountSlider label="Steps" ladder={STEPS} value={state.steps} onChange={(steps) => ask({ steps })} />
    <CountSlider label="Prompts per step" ladder={COUNTS} value={state.prompts} onChange={(prompts) => ask({ prompts })} />
    <CountSlider label="Answers per prompt" ladder={COUNTS} value={state.samples} onChange={(samples) => ask({ samples })} />
    <CountSlider label="Prompt tokens" ladder={LENGTHS} value={state.promptTokens} onChange={(promptTokens) => ask({ promptTokens })} />
    <CountSlider
      label="Answer tokens, mean"
      ladder={LENGTHS}
      value={state.answerTokens}
      onChange={(answerTokens) => ask({ answerTokens })}
    />
    <CountSlider label="Answer tokens, at most" ladder={LENGTHS} value={state.longest} onChange={(longest) => ask({ longest })} />
  </>
)

const Sides = ({ state, ask, precisions }: PartProps & { readonly precisions: readonly string[] }): ReactNode => (
  <>
    <Segments
      label="Placement"
      value={state.placement}
      options={['faster', 'colocated', 'separate']}
      onChange={(placement) => ask({ placement, ...(placement === 'colocated' && { staleness: 0 }) })}
    />
    <Slider
      label="Staleness, steps"
      ladder={LAGS}
      value={state.staleness}
      shown={state.staleness === 0 ? 'on-policy' : String(state.staleness)}
      typed={parseCount}
      onChange={(staleness) => ask({ staleness, ...(staleness > 0 && state.placement === 'colocated' && { placement: 'separate' }) })}
    />
    <Select
      label="Precision of the trainer"
      value={state.precision}
      options={precisions.map((id) => ({ id, name: id }))}
      onChange={(precision) => ask({ precision })}
    />
    <Select
      label="Engine"
      value={state.engine}
      options={['vllm', 'sglang', 'tensorrt-llm'].map((id) => ({ id, name: id }))}
      onChange={(engine) => ask({ engine: RL.engine.read(engine) ?? 'vllm' })}
    />
  </>
)

type CountSliderProps = {
  readonly label: string
  readonly ladder: readonly number[]
  readonly value: number
  readonly onChange: (value: number) => void
}

const CountSlider = (props: CountSliderProps): ReactNode => (
  <Slider {...props} shown={props.value.toLocaleString('en')} typed={parseCount} />
)

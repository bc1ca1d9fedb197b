// The question: model, fleet, work, goal.

import { parse, quantity, show } from '@ironlaw/units'
import { memo, type ReactNode, useMemo } from 'react'
import { Segments, Select } from '../ui/fields.tsx'
import { binaryLadder, decimalLadder } from '../ui/ladder.ts'
import { ModelField, modelName } from '../ui/model-field.tsx'
import { QuestionForm } from '../ui/question-form.tsx'
import { parseCount, Slider } from '../ui/slider.tsx'
import type { Choices } from './answer.ts'
import { AdapterControls, MoreControls } from './more-controls.tsx'
import { GOALS, OPTIMIZERS, type TrainingState } from './question.ts'

const DEVICES = binaryLadder({ from: 8, to: 65_536, parts: 4 })
const TOKENS = decimalLadder({ from: 1e9, to: 40e12 })
const SEQUENCES = binaryLadder({ from: 1024, to: 131_072, parts: 1 })
const BATCHES = binaryLadder({ from: 16, to: 16_384, parts: 2 })
const LINKS = [
  { id: '', name: 'as the node has it' },
  ...['50 Gb/s', '100 Gb/s', '200 Gb/s', '400 Gb/s', '800 Gb/s', '1600 Gb/s'].map((id) => ({ id, name: id })),
]

const ANY = { id: '', name: 'no limit' }
const DEADLINES = [ANY, ...['7d', '14d', '30d', '60d', '90d', '180d'].map((id) => ({ id, name: `${Number.parseInt(id, 10)} days` }))]
const BUDGETS = [ANY, ...['$100k', '$300k', '$1M', '$3M', '$10M', '$30M', '$100M'].map((id) => ({ id, name: id }))]

const NO_CHOICES: Choices = { models: [], accelerators: [], regions: [], precisions: [], runtimes: [] }
const optionOf = (id: string): { readonly id: string; readonly name: string } => ({ id, name: id })

export type ControlsProps = {
  readonly state: TrainingState
  readonly choices: Choices | undefined
  readonly onChange: (part: Partial<TrainingState>) => void
  /** Removes what an opened spec says beside the controls. */
  readonly onRest: (rest: string) => void
}

export const Controls = memo(({ state, choices = NO_CHOICES, onChange, onRest }: ControlsProps): ReactNode => (
  <QuestionForm title="Plan a training run" summary={summary(state)} rest={state.rest} onRest={onRest}>
    <ModelField model={state.model} config={state.config} models={choices.models} onChange={(part) => onChange({ ...part, rank: 0 })} />
    <Segments label="Optimize for" value={state.goal} options={GOALS} onChange={(goal) => onChange({ goal, rank: 0 })} />
    <h2>Fleet</h2>
    <Fleet state={state} choices={choices} onChange={onChange} />
    <h2>Work</h2>
    <Work state={state} choices={choices} onChange={onChange} />
    <h2>Limits</h2>
    <Select label="Deadline" value={state.deadline} options={DEADLINES} onChange={(deadline) => onChange({ deadline, rank: 0 })} />
    <Select label="Budget" value={state.budget} options={BUDGETS} onChange={(budget) => onChange({ budget, rank: 0 })} />
    <MoreControls state={state} ask={(part) => onChange({ ...part, rank: 0 })} />
  </QuestionForm>
))

type PartProps = Omit<ControlsProps, 'choices' | 'onRest'> & { readonly choices: Choices }

const Fleet = ({ state, choices: { accelerators, regions }, onChange }: PartProps): ReactNode => {
  const places = useMemo(() => [{ id: '', name: 'not specified' }, ...regions], [regions])
  return (
    <>
      <Select
        label="Accelerator"
        value={state.accelerator}
        options={accelerators}
        onChange={(accelerator) => onChange({ accelerator, rank: 0 })}
      />
      <Slider
        label="Accelerators"
        ladder={DEVICES}
        value={state.devices}
        shown={state.devices.toLocaleString('en')}
        typed={parseCount}
        onChange={(devices) => onChange({ devices, rank: 0 })}
      />
      <Select label="Network per accelerator" value={state.link} options={LINKS} onChange={(link) => onChange({ link })} />
      <Select label="Power from" value={state.region} options={places} onChange={(region) => onChange({ region })} />
    </>
  )
}

const Work = ({ state, choices: { precisions, runtimes }, onChange }: PartProps): ReactNode => (
  <>
    <Slider
      label="Tokens"
      ladder={TOKENS}
      value={state.tokens}
      shown={show(quantity(state.tokens, 'token'), 'token')}
      typed={parseTokens}
      onChange={(tokens) => onChange({ tokens })}
    />
    <Slider
      label="Sequence, tokens"
      ladder={SEQUENCES}
      value={state.sequence}
      shown={state.sequence.toLocaleString('en')}
      typed={parseCount}
      onChange={(sequence) => onChange({ sequence, rank: 0 })}
    />
    <Slider
      label="Batch, sequences"
      ladder={BATCHES}
      value={state.batch}
      shown={state.batch.toLocaleString('en')}
      typed={parseCount}
      onChange={(batch) => onChange({ batch, rank: 0 })}
    />
    <Select
      label="Precision"
      value={state.precision}
      options={precisions.map(optionOf)}
      onChange={(precision) => onChange({ precision, rank: 0 })}
    />
    <AdapterControls state={state} ask={(part) => onChange({ ...part, rank: 0 })} />
    <Select
      label="Optimizer"
      value={state.optimizer}
      options={OPTIMIZERS.map(optionOf)}
      onChange={(chosen) => onChange({ optimizer: OPTIMIZERS.find((name) => name === chosen) ?? 'adam', rank: 0 })}
    />
    <Select
      label="Software"
      value={state.runtime}
      options={runtimes.map(optionOf)}
      onChange={(runtime) => onChange({ runtime, rank: 0 })}
    />
  </>
)

/** Summary of the question on a narrow screen. */
const summary = ({ model, config, devices, accelerator, tokens }: TrainingState): string =>
  `${modelName({ model, config })} on ${devices.toLocaleString('en')} × ${accelerator}, ${show(quantity(tokens, 'token'), 'token')}`

function parseTokens(typed: string): number | undefined {
  const parsed = parse(/tokens?\s*$/.test(typed) ? typed : `${typed} tokens`, 'token')
  return parsed.ok && parsed.value >= 1 ? Math.round(parsed.value) : undefined
}

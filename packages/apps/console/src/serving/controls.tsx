// The question: model, traffic, objectives, and the hardware that may serve it.

import { seconds, show } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Segments, Select } from '../ui/fields.tsx'
import { binaryLadder, decimalLadder } from '../ui/ladder.ts'
import { ModelField, modelName } from '../ui/model-field.tsx'
import { QuestionForm } from '../ui/question-form.tsx'
import { parseCount, Slider } from '../ui/slider.tsx'
import type { ServingChoices } from './answer.ts'
import { MoreControls } from './more-controls.tsx'
import { rateOf, SERVING, type ServingState } from './question.ts'

const RATES = decimalLadder({ from: 10, to: 1e6 })
const LENGTHS = decimalLadder({ from: 10, to: 100_000 })
const TIMES = decimalLadder({ from: 5, to: 20_000 })
const CACHED = Array.from({ length: 20 }, (_, at) => 5 * at)
const PROBABILITIES = [50, 60, 70, 80, 85, 90, 95, 99]
const SPARES = [0, ...binaryLadder({ from: 1, to: 16, parts: 1 })]

export type ServingControlsProps = {
  readonly state: ServingState
  readonly choices: ServingChoices | undefined
  readonly onChange: (part: Partial<ServingState>) => void
  /** Removes what an opened spec says beside the controls. */
  readonly onRest: (rest: string) => void
}

export const ServingControls = memo(({ state, choices, onChange, onRest }: ServingControlsProps): ReactNode => {
  const ask = (part: Partial<ServingState>): void => onChange({ ...part, rank: 0 })
  return (
    <QuestionForm title="Plan a deployment" summary={`${modelName(state)}, ${rateOf(state)} requests/s`} rest={state.rest} onRest={onRest}>
      <ModelField model={state.model} config={state.config} models={choices?.models ?? []} onChange={ask} />
      <Segments label="Optimize for" value={state.goal} options={['cost', 'devices']} onChange={(goal) => ask({ goal })} />
      <h2>Traffic</h2>
      <Traffic state={state} ask={ask} />
      <h2>SLO</h2>
      <Objectives state={state} ask={ask} />
      <h2>What may serve</h2>
      <Resources state={state} ask={ask} choices={choices} />
      <MoreControls state={state} ask={ask} models={choices?.models ?? []} />
    </QuestionForm>
  )
})

type PartProps = { readonly state: ServingState; readonly ask: (part: Partial<ServingState>) => void }

const Traffic = ({ state, ask }: PartProps): ReactNode => (
  <>
    <Slider
      label="Peak requests per second"
      ladder={RATES}
      value={state.rate}
      shown={String(rateOf(state))}
      typed={(text) => (Number(text) > 0 ? Math.round(100 * Number(text)) : undefined)}
      onChange={(rate) => ask({ rate })}
    />
    <Slider
      label="Prompt tokens"
      ladder={LENGTHS}
      value={state.input}
      shown={state.input.toLocaleString('en')}
      typed={parseCount}
      onChange={(input) => ask({ input })}
    />
    <Slider
      label="Output tokens"
      ladder={LENGTHS}
      value={state.output}
      shown={state.output.toLocaleString('en')}
      typed={parseCount}
      onChange={(output) => ask({ output })}
    />
    <Slider
      label="Prompt tokens cached"
      ladder={CACHED}
      value={state.cached}
      shown={`${state.cached} %`}
      typed={parsePercent}
      onChange={(cached) => ask({ cached })}
    />
  </>
)

const parsePercent = (text: string): number | undefined => {
  const value = Number(text.replace('%', ''))
  return value >= 0 && value < 100 ? Math.round(value) : undefined
}

const parseProbability = (text: string): number | undefined => {
  const value = parsePercent(text)
  return value !== undefined && value >= 50 ? value : undefined
}

const parseMilliseconds = (text: string): number | undefined => parseCount(text.replace(/\s*ms$/, ''))

const Objectives = ({ state, ask }: PartProps): ReactNode => (
  <>
    <Slider
      label="TTFT (time to first token)"
      ladder={TIMES}
      value={state.ttft_ms}
      shown={show(seconds(state.ttft_ms / 1000), 's')}
      typed={parseMilliseconds}
      onChange={(ttft_ms) => ask({ ttft_ms })}
    />
    <Slider
      label="TPOT (time per output token)"
      ladder={TIMES}
      value={state.tpot_ms}
      shown={show(seconds(state.tpot_ms / 1000), 's')}
      typed={parseMilliseconds}
      onChange={(tpot_ms) => ask({ tpot_ms })}
    />
    <Segments
      label="Percentile"
      value={state.percentile}
      options={['mean', 'p50', 'p90', 'p99']}
      onChange={(percentile) => ask({ percentile })}
    />
    <Slider
      label="Held with a probability of"
      ladder={PROBABILITIES}
      value={state.probability}
      shown={`${state.probability} %`}
      typed={parseProbability}
      onChange={(probability) => ask({ probability })}
    />
  </>
)

const Resources = ({ state, ask, choices }: PartProps & { readonly choices: ServingChoices | undefined }): ReactNode => (
  <>
    <Select
      label="Accelerator"
      value={state.accelerator}
      options={[{ id: '', name: 'any with measurements' }, ...(choices?.accelerators ?? [])]}
      onChange={(accelerator) => ask({ accelerator })}
    />
    <Select
      label="Engine"
      value={state.engine}
      options={['vllm', 'sglang', 'tensorrt-llm'].map((id) => ({ id, name: id }))}
      onChange={(engine) => ask({ engine: SERVING.engine.read(engine) ?? 'vllm' })}
    />
    <Segments label="Key-value cache" value={state.cache} options={['bf16', 'fp8']} onChange={(cache) => ask({ cache })} />
    <Segments
      label="Prompts on their own replicas"
      value={state.split}
      options={['allowed', 'never', 'only']}
      onChange={(split) => ask({ split })}
    />
    <Slider
      label="Spare replicas"
      ladder={SPARES}
      value={state.spare}
      shown={String(state.spare)}
      typed={parseCount}
      onChange={(spare) => ask({ spare })}
    />
  </>
)

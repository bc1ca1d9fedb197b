// The question: what is trained on which pool, how it is scored, and on which machines.

import { quantity, show } from '@ironlaw/units'
import type { ReactNode } from 'react'
import { Select } from '../ui/fields.tsx'
import { binaryLadder, decimalLadder } from '../ui/ladder.ts'
import { QuestionForm } from '../ui/question-form.tsx'
import { parseCount, Slider } from '../ui/slider.tsx'
import { PROXIES } from './curves.ts'
import { ACCELERATORS, type SelectionQuestion } from './question.ts'

const PARAMS = decimalLadder({ from: 1e8, to: 1e12 })
const TOKENS = decimalLadder({ from: 1e9, to: 5e13 })
const SHARES = [1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 95]
const EPOCHS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40]
const PROXY_EPOCHS = [0, 1, 2, 3, 5, 8, 10]
const SCORINGS = [1, 2, 3, 4, 6, 8, 10, 20, 50, 100]
const DEVICES = binaryLadder({ from: 1, to: 16_384, parts: 1 })

const amount = (value: number): string => show(quantity(value, '1'), '1')

/** "30 %" or 30. */
function parsePercent(typed: string): number | undefined {
  const percent = Number(/^\s*(\d+(?:\.\d+)?)\s*%?\s*$/.exec(typed)?.[1])
  return percent >= 1 && percent <= 100 ? Math.round(percent) : undefined
}

const parseZeroOrMore = (typed: string): number | undefined => (typed.trim() === '0' ? 0 : parseCount(typed))

type ControlsProps = { readonly state: SelectionQuestion; readonly onChange: (part: Partial<SelectionQuestion>) => void }

export const SelectionControls = ({ state, onChange }: ControlsProps): ReactNode => (
  <QuestionForm
    title="Select data"
    summary={`${state.keep} % of ${amount(state.tokens)} tokens for ${amount(state.params)} parameters by a proxy of ${amount(state.proxy)}`}
  >
    <CountSlider label="Parameters of the model" ladder={PARAMS} value={state.params} onChange={(params) => onChange({ params })} />
    <CountSlider label="Tokens of the pool" ladder={TOKENS} value={state.tokens} onChange={(tokens) => onChange({ tokens })} />
    <Slider
      label="Kept share"
      ladder={SHARES}
      value={state.keep}
      shown={`${state.keep} %`}
      typed={parsePercent}
      onChange={(keep) => onChange({ keep })}
    />
    <CountSlider label="Epochs" ladder={EPOCHS} value={state.epochs} onChange={(epochs) => onChange({ epochs })} />
    <h2>Scoring</h2>
    <CountSlider label="Parameters of the proxy" ladder={PROXIES} value={state.proxy} onChange={(proxy) => onChange({ proxy })} />
    <Slider
      label="Epochs to train it"
      ladder={PROXY_EPOCHS}
      value={state.proxyEpochs}
      shown={state.proxyEpochs === 0 ? 'none' : String(state.proxyEpochs)}
      typed={parseZeroOrMore}
      onChange={(proxyEpochs) => onChange({ proxyEpochs })}
    />
    <CountSlider label="Scorings of the pool" ladder={SCORINGS} value={state.scorings} onChange={(scorings) => onChange({ scorings })} />
    <h2>Machines</h2>
    <Select label="Accelerator" value={state.accelerator} options={ACCELERATORS} onChange={(accelerator) => onChange({ accelerator })} />
    <CountSlider label="Accelerators" ladder={DEVICES} value={state.devices} onChange={(devices) => onChange({ devices })} />
  </QuestionForm>
)

type CountSliderProps = {
  readonly label: string
  readonly ladder: readonly number[]
  readonly value: number
  readonly onChange: (value: number) => void
}

const CountSlider = (props: CountSliderProps): ReactNode => <Slider {...props} shown={amount(props.value)} typed={parseCount} />

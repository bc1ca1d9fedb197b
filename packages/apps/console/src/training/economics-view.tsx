// The cost, and which assumption decides it.

import type { TrainingPlan } from '@ironlaw/contracts'
import type { Sensitivity } from '@ironlaw/planner'
import { dollars, gramsCO2e, joules, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { BarBox } from '../ui/bar-box.tsx'
import { Card } from '../ui/card.tsx'
import { Why } from '../ui/why.tsx'

export type EconomicsViewProps = { readonly plan: TrainingPlan; readonly sensitivities: readonly Sensitivity[] }

/** Smaller shares are shown as 0.0 %. */
const LEAST_MOVE = 0.0005

export const EconomicsView = memo(({ plan, sensitivities }: EconomicsViewProps): ReactNode => {
  const { cost_usd, energy_j = 0, carbon_g, embodied_g, step_s } = plan.prediction
  const widest = Math.max(...sensitivities.flatMap(({ less_s, more_s }) => [Math.abs(less_s - step_s), Math.abs(more_s - step_s)]), 1e-12)
  const felt = sensitivities.filter(({ less_s, more_s }) => [less_s, more_s].some((each) => Math.abs(each / step_s - 1) >= LEAST_MOVE))
  return (
    <Card
      title="Money, energy, carbon"
      about="And their sensitivity: how far the time, and with it every figure here, moves when an assumption is a fifth lower or higher."
    >
      <dl className="sums">
        <Sum name="cost" label="Rent" value={cost_usd === undefined ? 'no price known' : show(dollars(cost_usd), 'USD')} />
        <Sum name="energy" label="Electricity" value={show(joules(energy_j), 'J')} />
        <Sum
          name="carbon"
          label="Carbon of electricity"
          value={carbon_g === undefined ? 'choose a region' : show(gramsCO2e(carbon_g), 'gCO2e')}
        />
        <Sum
          name="embodied"
          label="Carbon of hardware"
          value={embodied_g === undefined ? 'unknown' : show(gramsCO2e(embodied_g), 'gCO2e')}
        />
      </dl>
      <BarBox label="Sensitivity of the step" heads={['assumption', 'a fifth less to a fifth more']}>
        <ul className="tornado">
          {felt.map(({ assumption, less_s, more_s }) => (
            <li key={assumption} title={`a fifth less: ${changeText(less_s / step_s)}, a fifth more: ${changeText(more_s / step_s)}`}>
              <span>{assumption}</span>
              <span className="tornado-bars">
                <Bar value={(less_s - step_s) / widest} told="less" />
                <Bar value={(more_s - step_s) / widest} told="more" />
              </span>
              <span className="quiet">{changeRangeText(less_s / step_s, more_s / step_s)}</span>
            </li>
          ))}
        </ul>
      </BarBox>
      <p className="keys">
        <span>
          <i className="swatch waiting" /> a fifth less of it
        </span>
        <span>
          <i className="swatch work" /> a fifth more
        </span>
      </p>
    </Card>
  )
})

const Sum = ({ name, label, value }: { readonly name: string; readonly label: string; readonly value: string }): ReactNode => (
  <div>
    <dt>{label}</dt>
    <dd>
      {/\d/.test(value) ? (
        <Why name={name} label={label}>
          {value}
        </Why>
      ) : (
        <span className="quiet">{value}</span>
      )}
    </dd>
  </div>
)

/** From the middle to the right where the step grows, to the left where it shrinks. */
const Bar = ({ value, told }: { readonly value: number; readonly told: 'less' | 'more' }): ReactNode => (
  <i
    className={told === 'less' ? 'waiting' : 'work'}
    style={{ left: `${50 + Math.min(0, 50 * value)}%`, width: `${Math.abs(50 * value)}%` }}
  />
)

const changeText = (ratio: number): string => `${ratio < 1 ? '−' : '+'}${showPercent(Math.abs(ratio - 1))}`
const changeRangeText = (a: number, b: number): string => `${changeText(Math.min(a, b))} to ${changeText(Math.max(a, b))}`

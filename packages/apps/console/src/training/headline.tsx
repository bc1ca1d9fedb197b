// The answer in one line of numbers, and whether it fits.

import { bytes, dollars, gramsCO2e, joules, quantity, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Why } from '../ui/why.tsx'
import type { PlanAnswer } from './answer.ts'
import { chanceText, strategyText } from '@ironlaw/planner'

export type HeadlineProps = { readonly answer: PlanAnswer; readonly asked: number; readonly onDevices: (devices: number) => void }

export const Headline = memo(({ answer, asked, onDevices }: HeadlineProps): ReactNode => {
  const { details, nothing, devices, limit_bytes: limit } = answer
  if (!details) return nothing ? <NothingFits nothing={nothing} onDevices={onDevices} /> : undefined
  const { prediction, decision, fleet } = details.plan
  const share = prediction.memory_bytes / limit
  return (
    <section className="headline" aria-label="The plan">
      <p className="strategy">
        {answer.tight ? (
          <span className="chip plain" title="Less likely to fit into memory than asked for">
            Tight
          </span>
        ) : (
          <span className="chip good">Fits</span>
        )}
        <code>{strategyText(decision)}</code>
        <span className="quiet">
          on {fleet.devices.toLocaleString('en')} devices
          {devices < asked ? `; ${(asked - devices).toLocaleString('en')} of ${asked.toLocaleString('en')} stay free` : ''}
        </span>
      </p>
      <p className="quiet">{answer.setting}</p>
      <dl className="numbers">
        <KeyFigure label="Whole run" why="time" value={show(seconds(prediction.duration_s), 's')}>
          {range(prediction.duration_s, prediction)}
        </KeyFigure>
        {prediction.cost_usd !== undefined && (
          <KeyFigure label="Money" why="cost" value={show(dollars(prediction.cost_usd), 'USD')}>
            {show(quantity((1e6 * prediction.cost_usd) / details.plan.tokens, 'USD'), 'USD')} per million tokens
          </KeyFigure>
        )}
        <KeyFigure label="MFU" why="mfu" value={showPercent(prediction.mfu)}>
          {show(quantity(prediction.tokens_per_s_per_device, 'token/s'), 'token/s')} per device
        </KeyFigure>
        <KeyFigure label="Step" why="step" value={show(seconds(prediction.step_s), 's')}>
          {range(prediction.step_s, prediction)}
        </KeyFigure>
        <KeyFigure label="Memory" why="memory" value={show(bytes(prediction.memory_bytes), 'B')}>
          <meter className="meter" min={0} max={1} value={Math.min(1, share)} aria-label="Share of the memory limit" />
          {showPercent(share, 0)} of {show(bytes(limit), 'B')}, fits with {chanceText(prediction.memory_probability ?? 0)}
        </KeyFigure>
        <KeyFigure label="Energy" why="energy" value={show(joules(prediction.energy_j ?? 0), 'J')}>
          {prediction.carbon_g === undefined ? 'no region: no carbon' : `${show(gramsCO2e(prediction.carbon_g), 'gCO2e')} CO₂e`}
        </KeyFigure>
      </dl>
    </section>
  )
})

/** The 90 % interval of the step applies to everything proportional to it. */
const range = (value: number, { step_s, step_low_s, step_high_s }: { step_s: number; step_low_s: number; step_high_s: number }): string =>
  `${show(seconds((value * step_low_s) / step_s), 's')} to ${show(seconds((value * step_high_s) / step_s), 's')}, 90 % interval`

type KeyFigureProps = { readonly label: string; readonly why: string; readonly value: string; readonly children: ReactNode }

const KeyFigure = ({ label, why, value, children }: KeyFigureProps): ReactNode => (
  <div>
    <dt>{label}</dt>
    <dd>
      <Why name={why} label={label}>
        {value}
      </Why>
    </dd>
    <dd className="quiet">{children}</dd>
  </div>
)

type NothingFitsProps = Pick<HeadlineProps, 'onDevices'> & { readonly nothing: NonNullable<PlanAnswer['nothing']> }

const NothingFits = ({ nothing: { change, why, devices }, onDevices }: NothingFitsProps): ReactNode => (
  <section className="headline" aria-label="The plan">
    <p className="strategy">
      <span className="chip bad">Does not fit</span>
      {devices === undefined ? (
        <strong>{change}</strong>
      ) : (
        <button type="button" className="button primary" onClick={() => onDevices(devices)}>
          Use {devices.toLocaleString('en')} devices
        </button>
      )}
    </p>
    <p className="quiet">
      {why}. To make it fit, {change}.
    </p>
  </section>
)

// The deployment in one line of numbers.

import { deployRefusal, type ServingPlan } from '@ironlaw/contracts'
import { carriedText, poolText } from '@ironlaw/planner'
import { dollars, joules, quantity, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Fact } from '../ui/fact.tsx'
import { Why } from '../ui/why.tsx'
import { mechanismTexts } from './mechanisms.ts'

const BINDING = {
  ttft: 'the first token',
  tpot: 'the time per token',
  memory: 'the memory of the cache',
  compute: 'arithmetic',
  network: 'moving caches between replicas',
} as const

export const ServingHeadline = memo(({ plan }: { readonly plan: ServingPlan }): ReactNode => {
  const { prediction, objectives, devices, accelerator, precision, pools } = plan
  return (
    <section className="headline" aria-label="The plan">
      <p className="strategy">
        <span className="chip good">
          {prediction.probability === undefined
            ? 'Meets the SLO'
            : `Meets the SLO with ${showPercent(prediction.probability, 0)} probability`}
        </span>
        <code>
          {pools.map(poolText).join(' + ')} on {accelerator}, {precision}
        </code>
        <span className="quiet">a replica is limited by {BINDING[prediction.binding]}</span>
      </p>
      <PlanNotes plan={plan} />
      <dl className="numbers">
        <KeyFigure label="Devices" why="devices" value={devices.toLocaleString('en')} about={carriedText(plan)} />
        {prediction.usd_per_hour !== undefined && (
          <KeyFigure
            label="Money"
            why="money an hour"
            value={`${show(dollars(prediction.usd_per_hour), 'USD')}/h`}
            about={
              <>
                <Why name="money per million tokens" label="Money per million tokens">
                  {show(dollars(prediction.usd_per_million_tokens ?? 0), 'USD')}
                </Why>{' '}
                per million output tokens
              </>
            }
          />
        )}
        <KeyFigure
          label="TTFT"
          why="first token"
          value={show(seconds(prediction.ttft_s), 's')}
          about={`${objectives.percentile}, SLO ${show(seconds(objectives.ttft_s), 's')}${intervalText(prediction.ttft_low_s, prediction.ttft_high_s)}`}
        />
        <KeyFigure
          label="TPOT"
          why="each further token"
          value={show(seconds(prediction.tpot_s), 's')}
          about={`${objectives.percentile}, SLO ${show(seconds(objectives.tpot_s), 's')}${intervalText(prediction.tpot_low_s, prediction.tpot_high_s)}`}
        />
        <KeyFigure
          label="Requests per replica"
          why="requests of a replica"
          value={`${prediction.replica_requests_per_s.toPrecision(3)}/s`}
          about={`at most, ${Math.round(prediction.decoding)} decoding at once; without spares ${prediction.capacity_requests_per_s.toPrecision(3)}/s in all`}
        />
        <KeyFigure
          label="Energy"
          why="energy of a token"
          value={show(joules(prediction.joules_per_token), 'J')}
          about={`per output token; ${show(quantity(prediction.output_tokens_per_s_per_device, 'token/s'), 'token/s')} per device`}
        />
      </dl>
    </section>
  )
})

/** What the plan relies on, and what stands against it. */
function PlanNotes({ plan }: { readonly plan: ServingPlan }): ReactNode {
  const refusal = deployRefusal(plan)
  return (
    <>
      {mechanismTexts(plan).map((text) => (
        <p key={text} className="quiet">
          {text}
        </p>
      ))}
      {plan.prediction.unmeasured && (
        <p className="warning">
          No kernel measurements of {plan.accelerator}: the curve of another accelerator, scaled by its peaks, with a wider interval.
        </p>
      )}
      {refusal && <p className="warning">Not run by "ironlaw apply": {refusal.reason}.</p>}
    </>
  )
}

const intervalText = (low: number | undefined, high: number | undefined): string =>
  low === undefined || high === undefined ? '' : `; 90 % interval ${show(seconds(low), 's')} to ${show(seconds(high), 's')}`

type KeyFigureProps = { readonly label: string; readonly why: string; readonly value: string; readonly about: ReactNode }

const KeyFigure = ({ label, why, value, about }: KeyFigureProps): ReactNode => (
  <Fact
    label={label}
    value={
      <Why name={why} label={label}>
        {value}
      </Why>
    }
    about={about}
  />
)

// The plan in one line of numbers: how long a step takes, who waits for whom, and how old the weights are that generate.

import type { RlPlan } from '@ironlaw/contracts'
import { strategyText } from '@ironlaw/planner'
import { dollars, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Fact } from '../ui/fact.tsx'

const showTime = (value: number): string => show(seconds(value), 's')

export const engineText = ({ generation: { replicas, tensor, data, expert } }: RlPlan): string =>
  [`${replicas} × TP${tensor}`, ...(data > 1 ? [`DP${data}`] : []), ...(expert > 1 ? [`EP${expert}`] : [])].join(' ')

/** Shares of a step in which each side has nothing to do. */
export function waitText({ placement, step_s, generate_s, score_s, update_s }: RlPlan): string {
  if (placement === 'colocated') return 'both take turns'
  return `engines ${showPercent(1 - generate_s / step_s, 0)}, trainer ${showPercent(1 - (score_s + update_s) / step_s, 0)}`
}

/** The range is that of NeMo RL's published steps (docs/guides/post-training.md). */
const LEFT_OUT =
  'Rewards, data handling and the framework’s own time are left out: published steps of NeMo RL take 1.3 to 2.6 times as long as predicted.'

export const RlHeadline = memo(({ plan, steps }: { readonly plan: RlPlan; readonly steps: number }): ReactNode => {
  const { placement, generation, trainer, step_s, step_low_s, step_high_s, staleness, bottleneck } = plan
  return (
    <section className="headline" aria-label="The plan">
      <p className="strategy">
        <span className="chip good">{placement === 'colocated' ? 'Colocated' : 'Separate'}</span>
        <code>{engineText(plan)}</code>
        <span className="quiet">generate,</span>
        <code>{strategyText(trainer.decision)}</code>
        <span className="quiet">
          learns{' '}
          {placement === 'colocated'
            ? `on the same ${generation.devices.toLocaleString('en')} devices, in turns`
            : `on ${generation.devices.toLocaleString('en')} and ${trainer.fleet.devices.toLocaleString('en')} devices`}
        </span>
      </p>
      <dl className="numbers">
        <Fact label="Step" value={showTime(step_s)} about={`90 % interval ${showTime(step_low_s)} to ${showTime(step_high_s)}`} />
        <Fact label="Whole run" value={showTime(plan.duration_s)} about={`${steps.toLocaleString('en')} steps`} />
        {plan.cost_usd !== undefined && (
          <Fact
            label="Money"
            value={show(dollars(plan.cost_usd), 'USD')}
            about={`${show(dollars(plan.cost_usd / steps), 'USD')} per step`}
          />
        )}
        <Fact label="Bottleneck" value={bottleneck === 'generation' ? 'Generating' : 'Learning'} about={`idle: ${waitText(plan)}`} />
        <Fact label="Weight sync" value={showTime(plan.sync_s)} about="new weights to the engines, once per step" />
        <Fact
          label="Staleness"
          value={staleness === 1 ? '1 step' : `${staleness} steps`}
          about={staleness === 0 ? 'on-policy' : 'by which the weights that generate lag behind'}
        />
      </dl>
      <p className="quiet">{LEFT_OUT}</p>
    </section>
  )
})

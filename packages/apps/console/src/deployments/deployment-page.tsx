// One deployment: what serves and how well, the current rollout, and the history.

import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'
import type { ServingPlan } from '@ironlaw/contracts'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { dollars, show, showPercent } from '@ironlaw/units'
import { type ReactNode, useMemo, useState } from 'react'
import { keepProject } from '../places.ts'
import { EventsView } from '../runs/events-view.tsx'
import { showDuration } from '../runs/run-words.tsx'
import { useResource } from '../runs/use-live.ts'
import { usePlan } from '../runs/use-plan.ts'
import { Empty } from '../ui/card.tsx'
import { Fact } from '../ui/fact.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { DrillsView } from './drills-view.tsx'
import { GatewaysView } from './gateways-view.tsx'
import { LatencyView } from './latency-view.tsx'
import { ObjectivesView } from './objectives-view.tsx'
import { ReplicaLogView } from './replica-log-view.tsx'
import { ReplicasView } from './replicas-view.tsx'
import { RevisionsView } from './revisions-view.tsx'
import { isRollingView, RolloutView } from './rollout-view.tsx'
import { ScalingView } from './scaling-view.tsx'
import { SettingsView } from './settings-view.tsx'
import { priceOf, summaryOf } from './summary.ts'
import { TenantsView } from './tenants-view.tsx'
import { useHistory } from './use-history.ts'
import { DeploymentChip, servingReplicas } from './words.tsx'

export type DeploymentPageProps = { readonly name: string }

export function DeploymentPage({ name }: DeploymentPageProps): ReactNode {
  const [orders, setOrders] = useState(0)
  const deployment = useResource('getDeployment', { name }, orders)
  return (
    <>
      <a className="link" href={keepProject('#/deployments')}>
        ← All deployments
      </a>
      {!deployment && <Empty>Loading…</Empty>}
      {deployment && !deployment.ok && <Refusal problem={deployment} />}
      {deployment?.ok && (
        <DeploymentDetails deployment={deployment.value} name={name} orders={orders} onOrdered={() => setOrders(orders + 1)} />
      )}
    </>
  )
}

type DeploymentDetailsProps = DeploymentPageProps & {
  readonly deployment: DeploymentView
  readonly orders: number
  readonly onOrdered: () => void
}

/** Enough for this page; `ironlaw events` prints all of them. */
const EVENTS_SHOWN = 200

function DeploymentDetails({ deployment, name, orders, onOrdered }: DeploymentDetailsProps): ReactNode {
  const answer = useResource('getDeploymentFigures', { name }, orders)
  const events = useHistory(name)
  const newest = useMemo(() => events?.toReversed().slice(0, EVENTS_SHOWN) ?? [], [events])
  const plan = useServingPlan(deployment)
  const figures = answer?.ok ? answer.value : undefined
  const objectives = plan?.objectives
  const { rollout, stable } = deployment
  const shown = { figures, stable, tried: rollout && isRollingView(rollout) ? rollout.revision : undefined }
  return (
    <>
      <Headline deployment={deployment} figures={figures} plan={plan} />
      {answer && !answer.ok && <Refusal problem={answer} />}
      <div className="cards">
        {rollout && (
          <RolloutView
            rollout={rollout}
            previous={deployment.previous}
            figures={figures}
            name={name}
            project={deployment.project}
            onOrdered={onOrdered}
          />
        )}
        <ObjectivesView figures={figures} objectives={objectives} />
        <LatencyView title="Time to first token (TTFT)" of="ttft_s" objective={objectives?.ttft_s} {...shown} />
        <LatencyView title="Time per output token (TPOT)" of="tpot_s" objective={objectives?.tpot_s} {...shown} />
        <ReplicasView deployment={deployment} figures={figures} />
        <ReplicaLogView deployment={deployment} />
        {deployment.spec.scaling && (
          <ScalingView deployment={deployment} rule={deployment.spec.scaling} events={events} figures={figures} />
        )}
        <RevisionsView deployment={deployment} events={events} />
        <DrillsView {...deployment} />
        <SettingsView deployment={deployment} events={events} />
        <TenantsView figures={figures} />
        <GatewaysView figures={figures} />
        <EventsView events={newest} />
      </div>
    </>
  )
}

/** The plan of the last change, or of the revision that serves, if the control plane has it. */
function useServingPlan({ spec, revisions, stable }: DeploymentView): ServingPlan | undefined {
  const id = spec.plan ?? revisions.find(({ number }) => number === stable)?.plan
  const answer = usePlan<ServingPlan>(id, 0)
  return answer?.ok ? answer.value : undefined
}

type HeadlineProps = {
  readonly deployment: DeploymentView
  readonly figures: DeploymentFigures | undefined
  readonly plan: ServingPlan | undefined
}

function Headline({ deployment, figures, plan }: HeadlineProps): ReactNode {
  const { name, project, state, why, wanted, stable, replicas } = deployment
  const objectives = plan?.objectives
  const summary = summaryOf(figures ?? { windows: [] }, { now: Date.now() / 1000, objectives })
  const price = priceOf(plan, replicas.length, summary)
  const latencyNote = (promised: number | undefined, p99: number | undefined): string =>
    [
      ...(p99 === undefined ? [] : [`p99 ${showDuration(p99)}`]),
      promised === undefined ? 'typical answer' : `SLO ${showDuration(promised)}`,
    ].join(', ')
  const perMillion = price?.usd_per_million_tokens
  return (
    <section className="headline" aria-label="The deployment">
      <p className="strategy">
        <strong className="run-name">{name}</strong>
        <DeploymentChip state={state} />
        <span className="quiet">
          {project}
          {why === '' ? '' : ` · ${why}`}
        </span>
      </p>
      <dl className="numbers">
        <Fact label="Replicas" value={`${servingReplicas(deployment)} / ${wanted}`} about={`serve revision ${stable}`} />
        <Fact
          label="SLO attainment"
          value={summary.kept === undefined ? '–' : showPercent(summary.kept, summary.kept === 1 ? 0 : 1)}
          about={summary.answered === undefined ? 'no traffic' : `${showPercent(summary.answered, 2)} answered`}
        />
        <Fact label="TTFT" value={showDuration(summary.ttft_s) || '–'} about={latencyNote(objectives?.ttft_s, summary.ttft_p99_s)} />
        <Fact label="TPOT" value={showDuration(summary.tpot_s) || '–'} about={latencyNote(objectives?.tpot_s, summary.tpot_p99_s)} />
        <Fact
          label="Requests per second"
          value={summary.requests_per_s.toPrecision(3)}
          about={`${Math.round(summary.tokens_per_s).toLocaleString('en-US')} tokens per second`}
        />
        <Fact
          label="Cost per hour"
          value={price ? show(dollars(price.usd_per_hour), 'USD') : '–'}
          about={
            price ? (perMillion === undefined ? '' : `${show(dollars(perMillion), 'USD')} per 1M tokens`) : 'its plan is not known here'
          }
        />
      </dl>
    </section>
  )
}

// How the run was started: its plan, its command, the names of its environment variables, and the nodes it requests.

import type { RunView } from '@ironlaw/contracts/api'
import type { RunPlan } from '@ironlaw/contracts/run-plan'
import { strategyText } from '@ironlaw/planner'
import { dollars, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { commandLine } from '../launch/command-words.ts'
import { compareHref } from '../places.ts'
import { Card } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { showDuration } from './run-words.tsx'

export type SetupViewProps = { readonly run: RunView; readonly plan: RunPlan | undefined }

export const SetupView = memo(({ run, plan }: SetupViewProps): ReactNode => {
  const command = commandLine(run.argv)
  return (
    <Card
      title="Plan, command and environment"
      wide
      about={`Started by ${run.created_by}, ${new Date(1000 * run.created_at).toLocaleString('en-GB')}.`}
    >
      <dl className="setup">
        <Row name="Plan">
          <a href={compareHref('plans', run.plan)}>{run.plan}</a> {plan && planText(plan)}
        </Row>
        <Row name="Command">
          <code>{command}</code> <CopyButton text={() => command}>Copy</CopyButton>
        </Row>
        <Row name="Environment">
          {run.environment.length === 0 ? 'nothing added' : run.environment.map((name) => <code key={name}>{name}</code>)}
          <span className="quiet"> Values are never shown.</span>
        </Row>
        <Row name="Nodes">{shapeText(run.shape)}</Row>
        <Row name="Team and project">
          {run.team} / {run.project}
        </Row>
        <Row name="Compare">
          <a href={compareHref('runs', run.id)}>Compare with another run</a>
        </Row>
      </dl>
    </Card>
  )
})

const Row = ({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function planText(plan: RunPlan): string {
  if (plan.kind === 'Job') return 'a job: nothing about it is predicted'
  if (plan.kind === 'Data')
    return `a data pipeline of ${plan.workers} workers; predicted ${showDuration(plan.prediction.duration_s.value)} in all`
  if (plan.kind === 'Calibration') return 'a calibration'
  const { decision, fleet, prediction, globalBatch, sequence } = plan
  const price = prediction.cost_usd === undefined ? '' : `, ${show(dollars(prediction.cost_usd), 'USD')}`
  return `${strategyText(decision)} on ${fleet.devices} × ${fleet.accelerator}; batch ${globalBatch} × ${sequence} tokens; predicted ${showDuration(prediction.step_s)} per step, MFU ${showPercent(prediction.mfu)}, ${showDuration(prediction.duration_s)} in all${price}`
}

function shapeText({ nodes, processesPerNode, devices, spares, cpusPerProcess, timeLimit_s, checkpointEvery_s }: RunView['shape']): string {
  return [
    `${nodes} × ${processesPerNode} processes`,
    ...(devices
      ? [`${devices.perNode} accelerators per node (${devices.kinds.join(' or ') || 'any kind'})`]
      : ['no accelerators requested']),
    ...(cpusPerProcess === undefined ? [] : [`${cpusPerProcess} cores per process`]),
    ...(spares === undefined ? [] : [`${spares} spare nodes`]),
    ...(timeLimit_s === undefined ? [] : [`time limit ${showDuration(timeLimit_s)}`]),
    checkpointEvery_s === undefined ? 'checkpoint interval chosen by cost' : `checkpoint every ${showDuration(checkpointEvery_s)}`,
  ].join('; ')
}

// Two runs: their figures, loss and pace over steps, where their time went, and how their setup differed.

import type { RunView, StepView } from '@ironlaw/contracts/api'
import type { Ledger } from '@ironlaw/contracts/ledger'
import type { RunPlan } from '@ironlaw/contracts/run-plan'
import type { ReactNode } from 'react'
import { showPercent } from '@ironlaw/units'
import { Lines, Plot } from '../charts/plot.tsx'
import { extent } from '../charts/scale.ts'
import type { Series } from '../charts/series.ts'
import { runHref } from '../places.ts'
import { showDuration } from '../runs/run-words.tsx'
import { useResource, useSteps } from '../runs/use-live.ts'
import { usePlan } from '../runs/use-plan.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { type DifferenceRow, numberRow } from './difference-row.ts'
import { DifferenceTable } from './difference-table.tsx'
import { fieldRows } from './field-rows.ts'

type Side = {
  readonly run: RunView
  readonly steps: readonly StepView[]
  readonly ledger: Ledger | undefined
  readonly plan: RunPlan | undefined
}

type SideResult = { readonly side?: Side; readonly problem?: ReactNode }

function useSide(id: string): SideResult {
  const run = useResource('getRun', { id }, 0)
  const steps = useSteps(id, 0)?.rows
  const ledger = useResource('getLedger', { id }, 0)
  const plan = usePlan<RunPlan>(run?.ok ? run.value.plan : undefined, 0)
  if (run && !run.ok) return { problem: <Refusal problem={run} /> }
  if (!run || !steps) return {}
  return {
    side: {
      run: run.value,
      steps,
      ledger: ledger?.ok ? ledger.value : undefined,
      plan: plan?.ok ? plan.value : undefined,
    },
  }
}

export function ComparedRuns({ left, right }: { readonly left: string; readonly right: string }): ReactNode {
  const [first, second] = [useSide(left), useSide(right)]
  if (first.problem !== undefined || second.problem !== undefined) return first.problem ?? second.problem
  if (!first.side || !second.side) return <Empty>Reading both runs…</Empty>
  const sides = [first.side, second.side] as const
  const heads = headsOf(sides)
  return (
    <div className="cards">
      <Card
        title="Figures"
        wide
        about={
          <>
            <a href={runHref(left)}>{heads[0]}</a> and <a href={runHref(right)}>{heads[1]}</a>
          </>
        }
      >
        <DifferenceTable
          name="figures"
          label="Table of figures"
          heads={heads}
          rows={figureRows(sides)}
          empty="No figures for either run yet."
        />
      </Card>
      <Overlay
        title="Loss"
        sides={sides}
        heads={heads}
        value={({ loss }) => loss ?? undefined}
        format={(value) => String(Number(value.toPrecision(4)))}
      />
      <Overlay title="Step time" sides={sides} heads={heads} value={({ seconds }) => seconds} format={showDuration} />
      <Card title="Where the time went" wide about="Time per accelerator, by cause of the ledger.">
        <DifferenceTable name="causes" label="Table of causes" heads={heads} rows={causeRows(sides)} empty="No time has been booked yet." />
      </Card>
      <Card title="What was different" wide about="Command, nodes and plan; equal values are omitted.">
        <Differences sides={sides} heads={heads} />
      </Card>
    </div>
  )
}

type Sides = readonly [Side, Side]
type Heads = readonly [string, string]

/** By name if the names differ. */
const headsOf = ([{ run: left }, { run: right }]: Sides): Heads =>
  left.name === right.name ? [left.id, right.id] : [left.name, right.name]

function figureRows([left, right]: Sides): readonly DifferenceRow[] {
  const both = (of: (side: Side) => number | undefined): readonly [number | undefined, number | undefined] => [of(left), of(right)]
  const showCount = (value: number): string => Math.round(value).toLocaleString('en')
  return [
    { name: 'state', left: left.run.state, right: right.run.state },
    numberRow(
      'steps done',
      both(({ run }) => run.step),
      showCount,
    ),
    numberRow(
      'loss',
      both(({ run }) => run.loss ?? undefined),
      (value) => value.toPrecision(4),
    ),
    numberRow(
      'step time',
      both(({ run }) => run.step_s),
      showDuration,
    ),
    numberRow(
      'predicted step time',
      both(({ run }) => run.predicted_step_s),
      showDuration,
    ),
    numberRow('tokens per second', both(throughput), showCount),
    numberRow(
      'attempts',
      both(({ run }) => run.attempt),
      showCount,
    ),
    numberRow(
      'wall time',
      both(({ ledger }) => ledger?.wall_s),
      showDuration,
    ),
    numberRow(
      'goodput: scheduling',
      both(({ ledger }) => ledger?.goodput.scheduling),
      showPercent,
    ),
    numberRow(
      'goodput: runtime',
      both(({ ledger }) => ledger?.goodput.runtime),
      showPercent,
    ),
  ]
}

/** Over all stored steps. */
function throughput({ steps }: Side): number | undefined {
  const seconds = steps.reduce((sum, row) => sum + row.seconds, 0)
  const tokens = steps.reduce((sum, row) => sum + row.tokens, 0)
  return seconds > 0 && tokens > 0 ? tokens / seconds : undefined
}

function causeRows([left, right]: Sides): readonly DifferenceRow[] {
  const causeTime = ({ ledger }: Side, cause: string): number | undefined => {
    const entry = ledger?.causes.find((each) => each.cause === cause)
    return entry && ledger && entry.accelerator_s / ledger.accelerators
  }
  const causes = new Set(
    [left, right].flatMap(({ ledger }) => ledger?.causes.filter(({ accelerator_s }) => accelerator_s > 0) ?? []).map(({ cause }) => cause),
  )
  return [...causes].map((cause) => numberRow(cause, [causeTime(left, cause), causeTime(right, cause)], showDuration))
}

type OverlayProps = {
  readonly title: string
  readonly sides: Sides
  readonly heads: Heads
  readonly value: (row: StepView) => number | undefined
  readonly format: (value: number) => string
}

const INKS = ['work', 'exchange'] as const

function Overlay({ title, sides, heads, value, format }: OverlayProps): ReactNode {
  const series = sides.map(({ steps }, at): Series => ({
    name: heads[at] ?? '',
    ink: INKS[at] ?? INKS[0],
    points: steps.flatMap((row) => {
      const found = value(row)
      return found === undefined ? [] : [[row.step, found] as const]
    }),
  }))
  const points = series.flatMap((each) => each.points)
  return (
    <Card title={title}>
      {points.length < 2 ? (
        <Empty>Neither run has reported it.</Empty>
      ) : (
        <Plot
          label={`${title} of both runs`}
          height={260}
          x={{
            name: 'step',
            kind: 'linear',
            domain: paddedRange(points.map(([x]) => x)),
            format: (step) => (Number.isInteger(step) ? step.toLocaleString('en') : ''),
          }}
          y={{
            name: title,
            kind: 'linear',
            domain: extent(
              points.map(([, y]) => y),
              { kind: 'linear', room: 0.06 },
            ),
            format,
          }}
          series={series}
        >
          {(frame) => <Lines series={series} frame={frame} />}
        </Plot>
      )}
    </Card>
  )
}

const paddedRange = (values: readonly number[]): readonly [number, number] => [
  Math.min(...values),
  Math.max(...values, Math.min(...values) + 1),
]

function Differences({ sides: [left, right], heads }: { readonly sides: Sides; readonly heads: Heads }): ReactNode {
  const of = ({ run, plan }: Side): object => ({
    command: run.argv.join(' '),
    environment: run.environment,
    shape: run.shape,
    project: run.project,
    created_by: run.created_by,
    plan: plan ?? run.plan,
  })
  const rows = fieldRows(of(left), of(right))
  return (
    <DifferenceTable name="differences" label="Table of differences" heads={heads} rows={rows} empty="Both were started the same way." />
  )
}

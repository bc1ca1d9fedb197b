// What a data order mixes over training: the share of each source by phase, and how often each is gone through.

import { DATA_ORDER_FILE, type DataOrder, parseDataOrder } from '@ironlaw/contracts/data-order'
import { orderEnd, type PhaseMixture, phaseMixtures } from '@ironlaw/data'
import { counted, showPercent } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { type Frame, Plot } from '../charts/plot.tsx'
import type { Series } from '../charts/series.ts'
import { VerticalMark } from '../charts/vertical-mark.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { type ArtifactPlace, useJson, useOnce } from './artifact-files.ts'
import { mixtureSeries, type PhaseRow, phaseRows, stackedBars } from './mixture.ts'
import { type RunOfData, runsThatUsed } from './runs-of-data.ts'

type MixtureViewProps = ArtifactPlace & { readonly folder: string }

export function MixtureView({ folder, ...of }: MixtureViewProps): ReactNode {
  const order = useJson({ ...of, path: `${folder}${DATA_ORDER_FILE}` }, parseDataOrder)
  const runs = useOnce(`${of.project} ${of.artifact}`, () => runsThatUsed(of))
  if (!order || !runs) return <Empty>Loading…</Empty>
  if (!order.ok) return <Refusal problem={order} />
  return <Mixture order={order.value} runs={runs.ok ? runs.value.runs : []} />
}

type Mark = { readonly name: string; readonly position: number }

const marksOf = (runs: readonly RunOfData[]): readonly Mark[] =>
  runs.flatMap(({ run, batch }) => (batch === undefined || run.step === undefined ? [] : [{ name: run.name, position: run.step * batch }]))

/** As far as any run goes, or as the order is written. */
function endOf(order: DataOrder, runs: readonly RunOfData[]): number {
  const end = orderEnd(order)
  if (order.phases.at(-1)?.until !== undefined) return end
  return Math.max(end, ...runs.map(({ run, batch = 0 }) => (run.steps ?? run.step ?? 0) * batch))
}

const count = (value: number): string => Math.round(value).toLocaleString('en')

function Mixture({ order, runs }: { readonly order: DataOrder; readonly runs: readonly RunOfData[] }): ReactNode {
  const end = endOf(order, runs)
  const phases = useMemo(() => phaseMixtures(order, end), [order, end])
  const rows = useMemo(() => phaseRows(phases), [phases])
  const isOpen = phases.at(-1)?.isCut === true
  return (
    <div className="cards">
      <Card
        title="Mixture over training"
        about={`Share of each source by position, in ${counted(phases.length, 'phase')}; seed ${order.seed}.${isOpen ? ' The last phase goes on without end.' : ''}`}
        wide
      >
        <MixturePlot phases={phases} end={end} marks={marksOf(runs)} />
      </Card>
      <Card title="Phases" about="Samples that each phase takes, and how often all samples of a source have been shown by its end." wide>
        <DataTable
          name="phases"
          label="Table of phases"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ phase, source }) => `${phase} ${source}`}
          isTall
        />
      </Card>
    </div>
  )
}

type MixturePlotProps = { readonly phases: readonly PhaseMixture[]; readonly end: number; readonly marks: readonly Mark[] }

function MixturePlot({ phases, end, marks }: MixturePlotProps): ReactNode {
  const series = useMemo(() => mixtureSeries(phases), [phases])
  return (
    <Plot
      label="Mixture over training"
      height={280}
      x={{ name: 'position', kind: 'linear', domain: [0, end], format: (value) => (Number.isInteger(value) ? count(value) : '') }}
      y={{ name: 'share of samples', kind: 'linear', domain: [0, 1], format: (share) => showPercent(share, 0) }}
      series={series}
    >
      {(frame) => (
        <>
          <Bars phases={phases} series={series} frame={frame} />
          {phases.slice(1).map(({ start }) => (
            <line key={start} className="phase-edge" x1={frame.x(start)} x2={frame.x(start)} y2={frame.height} />
          ))}
          {marks.map(({ name, position }) => (
            <VerticalMark
              key={name}
              at={Math.min(position, end)}
              name={name}
              title={`${name} has reached position ${count(position)}`}
              frame={frame}
            />
          ))}
        </>
      )}
    </Plot>
  )
}

const Bars = ({
  phases,
  series,
  frame,
}: {
  readonly phases: readonly PhaseMixture[]
  readonly series: readonly Series[]
  readonly frame: Frame
}): ReactNode =>
  stackedBars(
    phases,
    series.filter(({ name }) => frame.isShown(name)),
  ).map(({ ink, start, end, from, to }) => (
    <rect
      key={`${start} ${from}`}
      className={`mix-${ink}`}
      x={frame.x(start)}
      y={frame.y(to)}
      width={Math.max(0, frame.x(end) - frame.x(start))}
      height={Math.max(0, frame.y(from) - frame.y(to))}
    />
  ))

const COLUMNS: readonly Column<PhaseRow>[] = [
  { name: 'Phase', isNumber: true, value: ({ phase }) => phase },
  {
    name: 'Positions',
    isNumber: true,
    value: ({ start }) => start,
    cell: ({ start, end, isCut }) => `${count(start)} – ${isCut ? '…' : count(end - 1)}`,
  },
  { name: 'Source', value: ({ source }) => source },
  { name: 'Share', isNumber: true, value: ({ share }) => share, cell: ({ share }) => showPercent(share) },
  { name: 'Samples', isNumber: true, value: ({ samples }) => samples, cell: ({ samples }) => count(samples) },
  { name: 'Times through it', isNumber: true, value: ({ epochs }) => epochs, cell: ({ epochs }) => `${epochs.toFixed(2)} ×` },
]

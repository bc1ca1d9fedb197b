// A plot with two axes, drawn as SVG: its marks are ordinary elements, so they follow the style sheet and the keyboard. ECharts was
// measured first: 181 kB gzipped of 401 kB of script for the same three charts, over the budget of 350 kB.

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { CsvRow } from '../ui/csv.ts'
import { ExportTools } from '../ui/export-tools.tsx'
import { chartPng } from '../ui/picture.ts'
import { hasLegend, Legend } from './legend.tsx'
import { type Scale, type ScaleKind, scaleOf } from './scale.ts'
import { type Reading, readingsAt, type Series, seriesRows } from './series.ts'
import { useView } from './use-view.ts'
import { ZoomTools } from './zoom-tools.tsx'

export type Axis = {
  readonly name?: string
  readonly kind: ScaleKind
  readonly domain: readonly [number, number]
  readonly format: (value: number) => string
}

export type Frame = {
  readonly x: Scale
  readonly y: Scale
  readonly width: number
  readonly height: number
  readonly tip: ShowTip
  /** By the name of a series. */
  readonly isShown: (name: string) => boolean
}

type Tip = { readonly x: number; readonly y: number; readonly text: readonly string[] }
/** Shows or hides a tip. */
type ShowTip = (tip: Tip | undefined) => void

export type PlotProps = {
  /** What the chart shows, for screen readers. */
  readonly label: string
  readonly height: number
  readonly x: Axis
  readonly y: Axis
  /** The numbers behind the chart: read by the pointer, and saved as CSV. */
  readonly series: readonly Series[]
  /** Whether the marks show their values themselves, as dots do; otherwise the pointer reads the series. */
  readonly marksTell?: boolean
  /** Zoom controls of a component that zooms by itself. */
  readonly ownZoom?: ReactNode
  /** Saved as CSV instead of the series. */
  readonly saved?: () => readonly CsvRow[]
  /** Below the marks, under the axes. */
  readonly children: (frame: Frame) => ReactNode
}

const LEFT = 76
const RIGHT = 18
/** Room for the name of the left axis. */
const TOP = 22
const BOTTOM = 38
const FAR_X = 95
const FAR_Y = 32
/** Width of one character of a tick label. */
const LETTER_PX = 6.6
/** More lines than this would cover the chart. */
const MOST_READ = 8

/** A line that is left alone has no button that would show it again. */
const NONE: ReadonlySet<string> = new Set()

export function Plot({ label, height, x, y, series, marksTell = false, ownZoom, saved, children }: PlotProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const svg = useRef<SVGSVGElement>(null)
  const width = useWidth(box)
  const [tip, setTip] = useState<Tip>()
  const [picked, setHidden] = useState<ReadonlySet<string>>(new Set())
  const hidden = hasLegend(series) ? picked : NONE
  const clip = useId()
  const inner = { width: Math.max(10, width - LEFT - RIGHT), height: height - TOP - BOTTOM }
  const isOurs = ownZoom === undefined
  const shownSeries = series.filter(({ name, with: other = name }) => !hidden.has(other))
  const view = useView({ svg, x, series: shownSeries, left: LEFT, width: inner.width, isEnabled: isOurs && width > 0 })
  const frame: Frame = {
    ...inner,
    x: scaleOf({ ...x, domain: view.domain, range: [0, inner.width], ticks: Math.max(2, Math.floor(inner.width / FAR_X)) }),
    y: scaleOf({ ...y, range: [inner.height, 0], ticks: Math.max(2, Math.floor(inner.height / FAR_Y)) }),
    tip: setTip,
    isShown: (name) => !hidden.has(name),
  }
  const readings = view.cursor === undefined || marksTell ? [] : readingsAt(shownSeries, view.cursor)
  const shown = readings.length > 0 ? readingTip(readings, { frame, x, y }) : tip
  return (
    <div className="chart">
      <div ref={box}>
        <div className="plot" style={{ height }}>
          {width > 0 && (
            <svg
              ref={svg}
              width={width}
              height={height}
              role="group"
              aria-label={isOurs ? `${label}. Arrow keys read values, plus and minus zoom, 0 shows all.` : label}
              tabIndex={isOurs ? 0 : undefined}
              {...(isOurs && view.listeners)}
            >
              <clipPath id={clip}>
                <rect width={inner.width} height={inner.height} />
              </clipPath>
              <g transform={`translate(${LEFT} ${TOP})`}>
                <rect className="plot-ground" width={inner.width} height={inner.height} />
                <Axes frame={frame} x={x} y={y} />
                <g clipPath={view.isWhole ? undefined : `url(#${clip})`}>{children(frame)}</g>
                {view.chosen && <rect className="chosen-part" x={view.chosen[0]} width={view.chosen[1]} height={inner.height} />}
                <Readings readings={readings} frame={frame} />
              </g>
            </svg>
          )}
          {shown && <TipBox tip={shown} isLeft={shown.x > inner.width / 2} />}
          <p className="only-read" role="status">
            {readings.length > 0 ? shown?.text.join(', ') : ''}
          </p>
        </div>
        <Legend label={label} series={series} hidden={hidden} onHidden={setHidden} />
      </div>
      <div className="chart-tools">
        {ownZoom ?? <ZoomTools onZoom={view.zoomBy} onAll={view.showAll} isWhole={view.isWhole} />}
        <ExportTools
          label={label}
          rows={saved ?? (() => seriesRows(shownSeries, { x: x.name ?? 'x', y: y.name ?? 'y' }))}
          picture={() => (box.current ? chartPng(box.current) : Promise.reject(new Error('the chart is not drawn')))}
        />
      </div>
    </div>
  )
}

const TipBox = ({ tip, isLeft }: { readonly tip: Tip; readonly isLeft: boolean }): ReactNode => (
  <div className={isLeft ? 'tip left' : 'tip'} style={{ left: LEFT + tip.x, top: TOP + tip.y }}>
    {tip.text.map((line) => (
      <div key={line}>{line}</div>
    ))}
  </div>
)

type PlotGeometry = { readonly frame: Frame; readonly x: Axis; readonly y: Axis }

function readingTip(readings: readonly Reading[], { frame, x, y }: PlotGeometry): Tip {
  const at = readings[0]?.x ?? 0
  const highest = Math.min(...readings.map((reading) => frame.y(reading.y)))
  const values = readings.slice(0, MOST_READ).map((reading) => `${reading.name}: ${y.format(reading.y) || precise(reading.y)}`)
  return {
    x: frame.x(at),
    y: Math.max(0, Math.min(frame.height, highest)),
    text: [`${x.name === undefined ? '' : `${x.name} `}${x.format(at) || precise(at)}`, ...values],
  }
}

/** For values that the axis does not label because they have no tick. */
const precise = (value: number): string => Number(value.toPrecision(4)).toLocaleString('en')

const Readings = ({ readings, frame }: { readonly readings: readonly Reading[]; readonly frame: Frame }): ReactNode => {
  const [first] = readings
  return (
    first && (
      <g className="readings" aria-hidden="true">
        <line x1={frame.x(first.x)} x2={frame.x(first.x)} y2={frame.height} />
        {readings.map(({ name, x, y }) => (
          <circle key={name} cx={frame.x(x)} cy={Math.max(0, Math.min(frame.height, frame.y(y)))} r={3.5} />
        ))}
      </g>
    )
  )
}

export function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!box.current) return
    const resized = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    resized.observe(box.current)
    return () => resized.disconnect()
  }, [box])
  return width
}

const Axes = ({ frame, x, y }: { readonly frame: Frame; readonly x: Axis; readonly y: Axis }): ReactNode => (
  <g className="axes" aria-hidden="true">
    {frame.y.ticks.map((tick) => (
      <g key={tick} transform={`translate(0 ${frame.y(tick)})`}>
        <line x2={frame.width} />
        <text x={-9} dy="0.32em" textAnchor="end">
          {y.format(tick)}
        </text>
      </g>
    ))}
    {marksOf(frame, x).map(({ at, text, shift, isNamed }) => (
      <g key={at} transform={`translate(${at} ${frame.height})`}>
        <line y2={5} />
        {isNamed && (
          <text x={shift} y={19} textAnchor="middle">
            {text}
          </text>
        )}
      </g>
    ))}
    <line className="base" x2={frame.width} y1={frame.height} y2={frame.height} />
    {y.name !== undefined && (
      <text x={-LEFT} y={-10} className="axis-name">
        {y.name}
      </text>
    )}
    {x.name !== undefined && (
      <text x={frame.width} y={frame.height + 34} textAnchor="end" className="axis-name">
        {x.name}
      </text>
    )}
  </g>
)

type Mark = { readonly at: number; readonly text: string; readonly shift: number; readonly isNamed: boolean }

/** Ticks of the lower axis. A label that would overlap the one before is dropped, and the last stays inside the chart. */
function marksOf({ x: scale, width }: Frame, { format }: Axis): readonly Mark[] {
  let free = Number.NEGATIVE_INFINITY
  return scale.ticks.map((tick) => {
    const [at, text] = [scale(tick), format(tick)]
    const half = (LETTER_PX * text.length) / 2
    const shift = Math.min(0, width + RIGHT - half - at)
    const isNamed = at + shift - half >= free
    if (isNamed) free = at + shift + half + LETTER_PX
    return { at, text, shift, isNamed }
  })
}

export type DotProps = {
  readonly at: readonly [number, number]
  readonly radius: number
  readonly className: string
  readonly tip: readonly string[]
  readonly frame: Frame
  readonly onPick?: () => void
}

/** A point that shows its values by pointer or keyboard. */
export function Dot({ at: [x, y], radius, className, tip, frame, onPick }: DotProps): ReactNode {
  const place = { x: frame.x(x), y: frame.y(y) }
  const showTip = (): void => frame.tip({ ...place, text: tip })
  const hideTip = (): void => frame.tip(undefined)
  return (
    <circle
      cx={place.x}
      cy={place.y}
      r={radius}
      className={`dot ${className}`}
      tabIndex={0}
      role={onPick ? 'button' : 'img'}
      aria-label={tip.join(', ')}
      onPointerEnter={showTip}
      onPointerLeave={hideTip}
      onFocus={showTip}
      onBlur={hideTip}
      onClick={onPick}
      onKeyDown={({ key }) => {
        if (key === 'Enter' || key === ' ') onPick?.()
      }}
    />
  )
}

export const pathOf = (points: readonly (readonly [number, number])[], { x, y }: Pick<Frame, 'x' | 'y'>): string =>
  points.map(([px, py], at) => `${at === 0 ? 'M' : 'L'}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join('')

/** The lines of those series that have a colour and are shown. */
export const Lines = ({ series, frame }: { readonly series: readonly Series[]; readonly frame: Frame }): ReactNode =>
  series
    .filter(({ name, ink }) => ink !== undefined && frame.isShown(name))
    .map(({ name, ink, points }) => (
      <path key={name} className={`curve ink-${ink}`} d={pathOf(points, frame)}>
        <title>{name}</title>
      </path>
    ))

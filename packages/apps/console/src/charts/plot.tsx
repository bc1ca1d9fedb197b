// A plot with two axes, drawn as SVG: what stands in it are elements like others, so they follow the style sheet and the keyboard. ECharts was
// measured first: 181 kB gzipped of 401 kB of script for the same three pictures, over the budget of 350 kB.

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type Scale, type ScaleKind, scaleOf } from './scale.ts'

export type Axis = {
  readonly name?: string
  readonly kind: ScaleKind
  readonly domain: readonly [number, number]
  readonly format: (value: number) => string
}

export type Frame = { readonly x: Scale; readonly y: Scale; readonly width: number; readonly height: number; readonly tip: Tipper }

type Tip = { readonly x: number; readonly y: number; readonly text: readonly string[] }
/** Shows a tip, or takes it away. */
type Tipper = (tip: Tip | undefined) => void

export type PlotProps = {
  /** What the picture shows, for those who do not see it. */
  readonly label: string
  readonly height: number
  readonly x: Axis
  readonly y: Axis
  /** Below the marks, under the axes. */
  readonly children: (frame: Frame) => ReactNode
}

const LEFT = 76
const RIGHT = 18
const TOP = 12
const BOTTOM = 38
const FAR_X = 95
const FAR_Y = 46

export function Plot({ label, height, x, y, children }: PlotProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const [tip, setTip] = useState<Tip>()
  const inner = { width: Math.max(10, width - LEFT - RIGHT), height: height - TOP - BOTTOM }
  const frame: Frame = {
    ...inner,
    x: scaleOf({ ...x, range: [0, inner.width], ticks: Math.max(2, Math.floor(inner.width / FAR_X)) }),
    y: scaleOf({ ...y, range: [inner.height, 0], ticks: Math.max(2, Math.floor(inner.height / FAR_Y)) }),
    tip: setTip,
  }
  return (
    <div ref={box} className="plot" style={{ height }}>
      {width > 0 && (
        <svg width={width} height={height} role="group" aria-label={label}>
          <g transform={`translate(${LEFT} ${TOP})`}>
            <Axes frame={frame} x={x} y={y} />
            {children(frame)}
          </g>
        </svg>
      )}
      {tip && (
        <div className={tip.x > inner.width / 2 ? 'tip left' : 'tip'} style={{ left: LEFT + tip.x, top: TOP + tip.y }}>
          {tip.text.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </div>
      )}
    </div>
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
    {frame.x.ticks.map((tick) => (
      <g key={tick} transform={`translate(${frame.x(tick)} ${frame.height})`}>
        <line y2={5} />
        <text y={19} textAnchor="middle">
          {x.format(tick)}
        </text>
      </g>
    ))}
    <line className="base" x2={frame.width} y1={frame.height} y2={frame.height} />
    {x.name !== undefined && (
      <text x={frame.width} y={frame.height + 34} textAnchor="end" className="axis-name">
        {x.name}
      </text>
    )}
  </g>
)

export type DotProps = {
  readonly at: readonly [number, number]
  readonly radius: number
  readonly className: string
  readonly tip: readonly string[]
  readonly frame: Frame
  readonly onPick?: () => void
}

/** A point that tells what it is, by pointer or by keyboard. */
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

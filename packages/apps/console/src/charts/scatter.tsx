// Ten thousand points that can be zoomed: dots on a canvas, with the axes and tip of every plot.

import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { onThemeChange, currentTheme } from '../theme.ts'
import { currentInk } from './ink.ts'
import { type Axis, type Frame, Plot } from './plot.tsx'
import { usePanZoom } from './use-pan-zoom.ts'
import { FULL_AREA, type VisibleArea, type VisibleRange, visibleDomain, zoomedArea } from './window.ts'
import { ZoomTools } from './zoom-tools.tsx'

export type ScatterProps = {
  readonly label: string
  readonly height: number
  readonly x: Axis
  readonly y: Axis
  readonly xs: ArrayLike<number>
  readonly ys: ArrayLike<number>
  readonly told: (at: number) => readonly string[]
}

/** Keys zoom about the lower left corner, where the best are. */
const CENTRE = [0, 0] as const
const NEAR_PX = 14

const visibleAxis = (axis: Axis, range: VisibleRange): Axis => ({ ...axis, domain: visibleDomain(axis.domain, axis.kind, range) })

export function Scatter({ label, height, x, y, xs, ys, told }: ScatterProps): ReactNode {
  const [seen, setSeen] = useState(FULL_AREA)
  useEffect(() => setSeen(FULL_AREA), [xs])
  return (
    <Plot
      label={label}
      height={height}
      x={visibleAxis(x, seen.x)}
      y={visibleAxis(y, seen.y)}
      series={[]}
      saved={() => [['point', x.name ?? 'x', y.name ?? 'y'], ...Array.from(xs, (value, at) => [told(at)[0] ?? '', value, ys[at] ?? 0])]}
      ownZoom={
        <ZoomTools
          onZoom={(factor) => setSeen((before) => zoomedArea(before, factor, CENTRE))}
          onAll={() => setSeen(FULL_AREA)}
          isWhole={seen.x === FULL_AREA.x && seen.y === FULL_AREA.y}
        />
      }
    >
      {(frame) => <Points frame={frame} label={label} xs={xs} ys={ys} told={told} onSeen={setSeen} />}
    </Plot>
  )
}

type PointsProps = Pick<ScatterProps, 'label' | 'xs' | 'ys' | 'told'> & {
  readonly frame: Frame
  readonly onSeen: (change: (before: VisibleArea) => VisibleArea) => void
}

function Points({ frame, label, xs, ys, told, onSeen }: PointsProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawnIn = useSyncExternalStore(onThemeChange, currentTheme)
  const { width, height } = frame

  useEffect(() => {
    if (canvas.current) draw(canvas.current, frame, { xs, ys })
  }, [frame, xs, ys, drawnIn])

  const showTip = (place: readonly [number, number] | undefined): void => {
    const at = place && nearest(frame, { xs, ys }, place)
    frame.tip(at === undefined ? undefined : { x: frame.x(xs[at] ?? 0), y: frame.y(ys[at] ?? 0), text: told(at) })
  }
  const listeners = usePanZoom({ canvas, inside: { left: 0, width, height }, centre: CENTRE, onSeen, onHover: showTip })
  return (
    <foreignObject width={width} height={height}>
      <canvas
        ref={canvas}
        className="points"
        tabIndex={0}
        role="img"
        aria-label={`${label}. Arrow keys move, plus and minus zoom, 0 shows all.`}
        style={{ width, height }}
        {...listeners}
      />
    </foreignObject>
  )
}

type Columns = Pick<ScatterProps, 'xs' | 'ys'>

function draw(canvas: HTMLCanvasElement, { x, y, width, height }: Frame, { xs, ys }: Columns): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const scale = devicePixelRatio
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  context.scale(scale, scale)
  context.fillStyle = currentInk().work
  context.globalAlpha = 0.5
  for (let at = 0; at < xs.length; at += 1) {
    const px = x(xs[at] ?? 0)
    const py = y(ys[at] ?? 0)
    if (px >= 0 && px <= width && py >= 0 && py <= height) context.fillRect(px - 1.5, py - 1.5, 3, 3)
  }
}

function nearest({ x, y }: Frame, { xs, ys }: Columns, [px, py]: readonly [number, number]): number | undefined {
  let best: number | undefined
  let least = NEAR_PX ** 2
  for (let at = 0; at < xs.length; at += 1) {
    const distance = (x(xs[at] ?? 0) - px) ** 2 + (y(ys[at] ?? 0) - py) ** 2
    if (distance < least) {
      least = distance
      best = at
    }
  }
  return best
}

// Ten thousand points that can be zoomed: dots on a canvas, with the axes and tip of every plot.

import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { onThemeChange, currentTheme } from '../theme.ts'
import { movedWindow, zoomedWindow } from './gantt-window.ts'
import { currentInk } from './ink.ts'
import { type Axis, type Frame, Plot } from './plot.tsx'
import { useWheel } from './use-wheel.ts'
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

/** The visible part, in shares of the whole axis. */
type VisibleRanges = { readonly x: readonly [number, number]; readonly y: readonly [number, number] }
const ALL: VisibleRanges = { x: [0, 1], y: [0, 1] }
const STEP = 0.2
const NEAR_PX = 14

type Zoom = { readonly factor: number; readonly at: readonly [number, number] }

const zoomedRanges = ({ x, y }: VisibleRanges, { factor, at }: Zoom): VisibleRanges => {
  const along = ([from, to]: readonly [number, number], share: number): readonly [number, number] => {
    const window = zoomedWindow({ from, to }, { span: 1, factor, at: share })
    return [window.from, window.to]
  }
  return { x: along(x, at[0]), y: along(y, at[1]) }
}

const movedRanges = ({ x, y }: VisibleRanges, [dx, dy]: readonly [number, number]): VisibleRanges => {
  const along = ([from, to]: readonly [number, number], share: number): readonly [number, number] => {
    const window = movedWindow({ from, to }, 1, share)
    return [window.from, window.to]
  }
  return { x: along(x, dx), y: along(y, dy) }
}

const visibleAxis = ({ domain: [low, high], ...axis }: Axis, [from, to]: readonly [number, number]): Axis => ({
  ...axis,
  domain: [low + (high - low) * from, low + (high - low) * to],
})

export function Scatter({ label, height, x, y, xs, ys, told }: ScatterProps): ReactNode {
  const [seen, setSeen] = useState(ALL)
  useEffect(() => setSeen(ALL), [xs])
  return (
    <>
      <Plot
        label={label}
        height={height}
        x={visibleAxis(x, seen.x)}
        y={visibleAxis(y, seen.y)}
        series={[]}
        saved={() => [['point', x.name ?? 'x', y.name ?? 'y'], ...Array.from(xs, (value, at) => [told(at)[0] ?? '', value, ys[at] ?? 0])]}
        ownZoom={
          <ZoomTools onZoom={(factor) => setSeen((before) => zoomedRanges(before, { factor, at: [0, 0] }))} onAll={() => setSeen(ALL)} />
        }
      >
        {(frame) => <Points frame={frame} label={label} xs={xs} ys={ys} told={told} onSeen={setSeen} />}
      </Plot>
    </>
  )
}

type PointsProps = Pick<ScatterProps, 'label' | 'xs' | 'ys' | 'told'> & {
  readonly frame: Frame
  readonly onSeen: (change: (before: VisibleRanges) => VisibleRanges) => void
}

function Points({ frame, label, xs, ys, told, onSeen }: PointsProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const dragged = useRef<readonly [number, number]>(undefined)
  const drawnIn = useSyncExternalStore(onThemeChange, currentTheme)
  const { width, height } = frame

  const wheeled = useCallback(
    (factor: number, [px, py]: readonly [number, number]) =>
      onSeen((before) => zoomedRanges(before, { factor, at: [px / width, 1 - py / height] })),
    [onSeen, width, height],
  )
  useWheel(canvas, wheeled)

  useEffect(() => {
    if (canvas.current) draw(canvas.current, frame, { xs, ys })
  }, [frame, xs, ys, drawnIn])

  const handleKey = ({ key }: KeyboardEvent): void => {
    const act: Record<string, (before: VisibleRanges) => VisibleRanges> = {
      ArrowLeft: (before) => movedRanges(before, [-STEP, 0]),
      ArrowRight: (before) => movedRanges(before, [STEP, 0]),
      '+': (before) => zoomedRanges(before, { factor: 1 / (1 + STEP), at: [0, 0] }),
      '-': (before) => zoomedRanges(before, { factor: 1 + STEP, at: [0, 0] }),
      '0': () => ALL,
    }
    if (act[key]) onSeen(act[key])
  }
  const handlePointerMove = (event: PointerEvent<HTMLCanvasElement>): void => {
    if (dragged.current) {
      const [fromX, fromY] = dragged.current
      dragged.current = [event.clientX, event.clientY]
      onSeen((before) => movedRanges(before, [(fromX - event.clientX) / width, (event.clientY - fromY) / height]))
      return
    }
    const { offsetX: px, offsetY: py } = event.nativeEvent
    const at = nearest(frame, { xs, ys }, [px, py])
    frame.tip(at === undefined ? undefined : { x: frame.x(xs[at] ?? 0), y: frame.y(ys[at] ?? 0), text: told(at) })
  }
  return (
    <foreignObject width={width} height={height}>
      <canvas
        ref={canvas}
        className="points"
        tabIndex={0}
        role="img"
        aria-label={`${label}. Arrow keys move, plus and minus zoom, 0 shows all.`}
        style={{ width, height }}
        onKeyDown={handleKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          dragged.current = [event.clientX, event.clientY]
        }}
        onPointerMove={handlePointerMove}
        onPointerUp={() => (dragged.current = undefined)}
        onPointerLeave={() => frame.tip(undefined)}
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

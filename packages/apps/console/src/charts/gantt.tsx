// Passes of microbatches over pipeline stages on our own canvas: about ten thousand rectangles are redrawn at every zoom step,
// and a chart library would spend that time on bookkeeping.

import { seconds, show } from '@ironlaw/units'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { onThemeChange, currentTheme } from '../theme.ts'
import { ExportTools } from '../ui/export-tools.tsx'
import { chartPng } from '../ui/picture.ts'
import { BOTTOM, type GanttFrame, type GanttRows, LEFT, passRows, hoveredPass, type HoveredPass } from './gantt-passes.ts'
import { movedWindow, type TimeWindow, zoomedWindow } from './gantt-window.ts'
import { currentInk, type Ink } from './ink.ts'
import { useWidth } from './plot.tsx'
import { useWheel } from './use-wheel.ts'
import { ZoomTools } from './zoom-tools.tsx'

const STEP = 0.25

export function Gantt({ rows, label }: { readonly rows: GanttRows; readonly label: string }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [under, setUnder] = useState<HoveredPass>()
  const [seen, setSeen] = useState<TimeWindow>({ from: 0, to: rows.span_s })
  const width = useWidth(canvas)
  const dragged = useRef<number>(undefined)
  const drawnIn = useSyncExternalStore(onThemeChange, currentTheme)
  const span = rows.span_s
  const height = Math.min(420, Math.max(60, rows.stages * 22)) + BOTTOM

  useEffect(() => setSeen({ from: 0, to: rows.span_s }), [rows])

  useWheel(canvas, (factor, [x]) => setSeen((before) => zoomedWindow(before, { span, factor, at: (x - LEFT) / (width - LEFT) })))

  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (canvas.current) draw(canvas.current, rows, { ...seen, width, height })
    })
    return () => cancelAnimationFrame(frame)
  }, [rows, seen, width, height, drawnIn])

  const zoomBy = (factor: number): void => setSeen((before) => zoomedWindow(before, { span, factor, at: 0.5 }))
  const handleKey = ({ key }: KeyboardEvent): void => {
    const act: Record<string, () => void> = {
      ArrowLeft: () => setSeen((before) => movedWindow(before, span, -STEP)),
      ArrowRight: () => setSeen((before) => movedWindow(before, span, STEP)),
      '+': () => zoomBy(1 / (1 + STEP)),
      '-': () => zoomBy(1 + STEP),
      '0': () => setSeen({ from: 0, to: span }),
    }
    act[key]?.()
  }
  const handlePointerMove = (event: PointerEvent<HTMLCanvasElement>): void => {
    if (dragged.current === undefined) {
      const { offsetX: x, offsetY: y } = event.nativeEvent
      return setUnder(hoveredPass(rows, { ...seen, width, height }, [x, y]))
    }
    const share = (dragged.current - event.clientX) / (event.currentTarget.clientWidth - LEFT)
    dragged.current = event.clientX
    setSeen((before) => movedWindow(before, span, share))
  }
  return (
    <div className="gantt">
      <div className="gantt-picture" ref={box}>
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={`${label}. Arrow keys move, plus and minus zoom, 0 shows all.`}
          style={{ height }}
          onKeyDown={handleKey}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            dragged.current = event.clientX
          }}
          onPointerMove={handlePointerMove}
          onPointerUp={() => (dragged.current = undefined)}
          onPointerLeave={() => setUnder(undefined)}
        />
        {under && <TipAt under={under} isLeft={under.x > width / 2} />}
      </div>
      <GanttTools rows={rows} label={label} box={box} seen={seen} onZoom={zoomBy} onAll={() => setSeen({ from: 0, to: span })} />
    </div>
  )
}

const TipAt = ({ under: { x, y, text }, isLeft }: { readonly under: HoveredPass; readonly isLeft: boolean }): ReactNode => (
  <div className={isLeft ? 'tip left' : 'tip'} style={{ left: x, top: y }}>
    <div>{text}</div>
  </div>
)

type GanttToolsProps = {
  readonly rows: GanttRows
  readonly label: string
  readonly box: RefObject<HTMLDivElement | null>
  readonly seen: TimeWindow
  readonly onZoom: (factor: number) => void
  readonly onAll: () => void
}

const GanttTools = ({ rows, label, box, seen, onZoom, onAll }: GanttToolsProps): ReactNode => (
  <div className="chart-tools">
    <ZoomTools onZoom={onZoom} onAll={onAll}>
      <span className="quiet">
        {show(seconds(seen.from), 's')} to {show(seconds(seen.to), 's')}
      </span>
    </ZoomTools>
    <ExportTools
      label={label}
      rows={() => passRows(rows)}
      picture={() => (box.current ? chartPng(box.current) : Promise.reject(new Error('the chart is not drawn')))}
    />
  </div>
)

function draw(canvas: HTMLCanvasElement, rows: GanttRows, frame: GanttFrame): void {
  const context = canvas.getContext('2d')
  if (!context || frame.width === 0) return
  const scale = devicePixelRatio
  canvas.width = Math.round(frame.width * scale)
  canvas.height = Math.round(frame.height * scale)
  context.scale(scale, scale)
  context.clearRect(0, 0, frame.width, frame.height)
  const ink = currentInk()
  drawPasses(context, rows, { ink, frame })
  drawAxis(context, rows, { ink, frame })
}

type Drawing = { readonly ink: Ink; readonly frame: GanttFrame }

function drawPasses(context: CanvasRenderingContext2D, rows: GanttRows, { ink, frame }: Drawing): void {
  const { from, to, width, height } = frame
  const row = (height - BOTTOM) / rows.stages
  const perSecond = (width - LEFT) / (to - from)
  const gap = row > 8 ? 1.5 : 0
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.font = `10.5px ${getComputedStyle(document.body).fontFamily}`
  for (let at = 0; at < rows.start.length; at += 1) {
    const start = rows.start[at] ?? 0
    const end = rows.end[at] ?? 0
    if (end < from || start > to) continue
    const x = Math.max(LEFT, LEFT + (start - from) * perSecond)
    const wide = Math.min(width, LEFT + (end - from) * perSecond) - x
    const y = (rows.stage[at] ?? 0) * row
    const forward = rows.forward[at] === 1
    context.globalAlpha = 1 - 0.16 * ((rows.chunk[at] ?? 0) % 4)
    context.fillStyle = forward ? ink.work : ink.exchange
    context.fillRect(x, y + gap / 2, Math.max(0.6, wide - (wide > 3 ? 0.8 : 0)), row - gap)
    if (wide > 22 && row > 12) {
      context.globalAlpha = 1
      context.fillStyle = ink.surface
      context.fillText(String((rows.microbatch[at] ?? 0) + 1), x + wide / 2, y + row / 2)
    }
  }
  context.globalAlpha = 1
}

function drawAxis(context: CanvasRenderingContext2D, rows: GanttRows, { ink, frame }: Drawing): void {
  const { from, to, width, height } = frame
  const row = (height - BOTTOM) / rows.stages
  context.fillStyle = ink.muted
  context.textAlign = 'right'
  const every = Math.ceil(14 / row)
  for (let stage = 0; stage < rows.stages; stage += every) context.fillText(`stage ${stage + 1}`, LEFT - 8, (stage + 0.5) * row)
  context.textAlign = 'center'
  const ticks = Math.max(2, Math.floor((width - LEFT) / 130))
  for (let tick = 0; tick <= ticks; tick += 1) {
    const x = LEFT + ((width - LEFT) * tick) / ticks
    context.textAlign = tick === 0 ? 'left' : tick === ticks ? 'right' : 'center'
    context.fillText(show(seconds(from + ((to - from) * tick) / ticks), 's'), x, height - BOTTOM / 2 + 2)
  }
}

// Passes of microbatches over pipeline stages on our own canvas: about ten thousand rectangles are redrawn at every zoom step,
// and a chart library would spend that time on bookkeeping.

import { seconds, show } from '@ironlaw/units'
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { onThemeChange, currentTheme } from '../theme.ts'
import { ExportTools } from '../ui/export-tools.tsx'
import { chartPng } from '../ui/picture.ts'
import { BOTTOM, type GanttFrame, type GanttRows, LEFT, passRows, hoveredPass, type HoveredPass } from './gantt-passes.ts'
import { currentInk, type Ink } from './ink.ts'
import { useWidth } from './plot.tsx'
import { usePanZoom } from './use-pan-zoom.ts'
import { FULL_AREA, FULL_RANGE, visibleDomain, zoomedArea } from './window.ts'
import { ZoomTools } from './zoom-tools.tsx'

/** Keys zoom about the middle. */
const CENTRE = [0.5, 0.5] as const

export function Gantt({ rows, label }: { readonly rows: GanttRows; readonly label: string }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [under, setUnder] = useState<HoveredPass>()
  const [seen, setSeen] = useState(FULL_AREA)
  const width = useWidth(canvas)
  const drawnIn = useSyncExternalStore(onThemeChange, currentTheme)
  const height = Math.min(420, Math.max(60, rows.stages * 22)) + BOTTOM
  const [from, to] = visibleDomain([0, rows.span_s], 'linear', seen.x)

  useEffect(() => setSeen(FULL_AREA), [rows])

  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (canvas.current) draw(canvas.current, rows, { from, to, width, height })
    })
    return () => cancelAnimationFrame(frame)
  }, [rows, from, to, width, height, drawnIn])

  const listeners = usePanZoom({
    canvas,
    inside: { left: LEFT, width: width - LEFT, height },
    centre: CENTRE,
    onSeen: setSeen,
    onHover: (at) => setUnder(at && hoveredPass(rows, { from, to, width, height }, at)),
  })
  return (
    <div className="gantt">
      <div className="gantt-picture" ref={box}>
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={`${label}. Arrow keys move, plus and minus zoom, 0 shows all.`}
          style={{ height }}
          {...listeners}
        />
        {under && <TipAt under={under} isLeft={under.x > width / 2} />}
      </div>
      <div className="chart-tools">
        <ZoomTools
          onZoom={(factor) => setSeen((before) => zoomedArea(before, factor, CENTRE))}
          onAll={() => setSeen(FULL_AREA)}
          isWhole={seen.x === FULL_RANGE}
        >
          <span className="quiet">
            {show(seconds(from), 's')} to {show(seconds(to), 's')}
          </span>
        </ZoomTools>
        <ExportTools
          label={label}
          rows={() => passRows(rows)}
          picture={() => (box.current ? chartPng(box.current) : Promise.reject(new Error('the chart is not drawn')))}
        />
      </div>
    </div>
  )
}

const TipAt = ({ under: { x, y, text }, isLeft }: { readonly under: HoveredPass; readonly isLeft: boolean }): ReactNode => (
  <div className={isLeft ? 'tip left' : 'tip'} style={{ left: x, top: y }}>
    <div>{text}</div>
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

// Which part of a chart is visible and which value is read, by wheel, drag, keys or buttons.

import { type KeyboardEvent, type PointerEvent, type RefObject, type SVGProps, useState } from 'react'
import { type Scale, type ScaleKind, scaleOf } from './scale.ts'
import { xValues, type Series } from './series.ts'
import { hasModifier } from './use-pan-zoom.ts'
import { useWheel } from './use-wheel.ts'
import { chosenRange, movedRange, type VisibleRange, visibleDomain, FULL_RANGE, zoomedRange } from './window.ts'

/** A shorter drag is a click. */
const DRAG_PX = 8
const STEP = 0.25

type ViewOptions = {
  readonly svg: RefObject<SVGSVGElement | null>
  readonly x: { readonly kind: ScaleKind; readonly domain: readonly [number, number] }
  readonly series: readonly Series[]
  /** From the left edge of the SVG to that of the axes, and the length of the axis. */
  readonly left: number
  readonly width: number
  readonly isEnabled: boolean
}

export type View = {
  readonly domain: readonly [number, number]
  readonly isWhole: boolean
  /** The x value being read, if any. */
  readonly cursor: number | undefined
  /** Left edge and width of the selection, in pixels. */
  readonly chosen: readonly [number, number] | undefined
  readonly zoomBy: (factor: number) => void
  readonly showAll: () => void
  readonly listeners: Pick<
    SVGProps<SVGSVGElement>,
    'onKeyDown' | 'onBlur' | 'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerLeave'
  >
}

export function useView({ svg, x, series, left, width, isEnabled }: ViewOptions): View {
  const [seen, setSeen] = useState<VisibleRange>(FULL_RANGE)
  const [cursor, setCursor] = useState<number>()
  const [drag, setDrag] = useState<readonly [from: number, to: number]>()
  const domain = visibleDomain(x.domain, x.kind, seen)
  const zoomAt = (factor: number, at: number): void => setSeen((before) => zoomedRange(before, factor, at))
  useWheel(svg, (factor, [px]) => zoomAt(factor, (px - left) / width), isEnabled)
  const place = (event: PointerEvent<SVGSVGElement>): number =>
    Math.max(0, Math.min(width, event.clientX - event.currentTarget.getBoundingClientRect().left - left))
  const handleKey = (event: KeyboardEvent): void => {
    const places = xValues(series, domain)
    const at = cursor === undefined ? -1 : places.findIndex((each) => each >= cursor)
    const act: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? setSeen((before) => movedRange(before, -STEP)) : setCursor(places[Math.max(0, at - 1)])),
      ArrowRight: () =>
        event.shiftKey ? setSeen((before) => movedRange(before, STEP)) : setCursor(places[Math.min(places.length - 1, at + 1)]),
      '+': () => zoomAt(1 / (1 + STEP), 0.5),
      '-': () => zoomAt(1 + STEP, 0.5),
      '0': () => setSeen(FULL_RANGE),
      Escape: () => setCursor(undefined),
    }
    if (event.target !== svg.current || !act[event.key] || hasModifier(event)) return
    event.preventDefault()
    act[event.key]?.()
  }
  return {
    domain,
    isWhole: seen === FULL_RANGE,
    cursor,
    chosen: drag && [Math.min(...drag), Math.abs(drag[1] - drag[0])],
    zoomBy: (factor) => zoomAt(factor, 0.5),
    showAll: () => setSeen(FULL_RANGE),
    listeners: {
      onKeyDown: handleKey,
      onBlur: () => setCursor(undefined),
      onPointerLeave: () => setCursor(undefined),
      // Only with a mouse: touch scrolls the page.
      onPointerDown: (event) => {
        if (event.button === 0 && event.pointerType === 'mouse') setDrag([place(event), place(event)])
      },
      onPointerMove: (event) => {
        if (drag) setDrag([drag[0], place(event)])
        else setCursor(pixelScale({ ...x, domain }, width).back(place(event)))
      },
      onPointerUp: () => {
        if (drag && Math.abs(drag[1] - drag[0]) > DRAG_PX) setSeen((before) => chosenRange(before, [drag[0] / width, drag[1] / width]))
        setDrag(undefined)
      },
    },
  }
}

const pixelScale = (axis: ViewOptions['x'], width: number): Scale => scaleOf({ ...axis, range: [0, width], ticks: 1 })

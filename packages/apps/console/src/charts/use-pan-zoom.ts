// Moves and zooms a picture on a canvas: by drag, by wheel and by keys.

import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from 'react'
import { useWheel } from './use-wheel.ts'
import { FULL_AREA, movedArea, type VisibleArea, zoomedArea } from './window.ts'

const STEP = 0.25

/** Then the key is the browser's: it zooms the page or goes back. */
export const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => ctrlKey || metaKey || altKey

type PanZoomOptions = {
  readonly canvas: RefObject<HTMLCanvasElement | null>
  /** The part of the canvas that moves, in pixels; it begins at the top. */
  readonly inside: { readonly left: number; readonly width: number; readonly height: number }
  /** What keys zoom about, in shares from the left and from below. */
  readonly centre: readonly [number, number]
  readonly onSeen: (change: (before: VisibleArea) => VisibleArea) => void
  /** Pixels on the canvas; undefined when the pointer has left. */
  readonly onHover: (at: readonly [number, number] | undefined) => void
}

type Listeners = {
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onPointerDown: (event: PointerEvent<HTMLCanvasElement>) => void
  readonly onPointerMove: (event: PointerEvent<HTMLCanvasElement>) => void
  readonly onPointerUp: () => void
  readonly onPointerLeave: () => void
}

export function usePanZoom({ canvas, inside: { left, width, height }, centre, onSeen, onHover }: PanZoomOptions): Listeners {
  const dragged = useRef<readonly [number, number]>(undefined)
  useWheel(canvas, (factor, [x, y]) => onSeen((before) => zoomedArea(before, factor, [(x - left) / width, 1 - y / height])))
  return {
    onKeyDown: (event) => {
      const change = KEYS[event.key]
      if (!change || hasModifier(event)) return
      event.preventDefault()
      onSeen((before) => change(before, centre))
    },
    onPointerDown: (event) => {
      event.currentTarget.setPointerCapture(event.pointerId)
      dragged.current = [event.clientX, event.clientY]
    },
    onPointerMove: (event) => {
      if (!dragged.current) return onHover([event.nativeEvent.offsetX, event.nativeEvent.offsetY])
      const [fromX, fromY] = dragged.current
      dragged.current = [event.clientX, event.clientY]
      onSeen((before) => movedArea(before, [(fromX - event.clientX) / width, (event.clientY - fromY) / height]))
    },
    onPointerUp: () => {
      dragged.current = undefined
    },
    onPointerLeave: () => onHover(undefined),
  }
}

const KEYS: Readonly<Record<string, (before: VisibleArea, centre: readonly [number, number]) => VisibleArea>> = {
  ArrowLeft: (before) => movedArea(before, [-STEP, 0]),
  ArrowRight: (before) => movedArea(before, [STEP, 0]),
  '+': (before, centre) => zoomedArea(before, 1 / (1 + STEP), centre),
  '-': (before, centre) => zoomedArea(before, 1 + STEP, centre),
  '0': () => FULL_AREA,
}

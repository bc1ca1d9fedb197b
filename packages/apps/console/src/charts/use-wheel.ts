// A wheel with Ctrl or Shift held zooms; without, it scrolls the page as everywhere. React listens to wheels passively, and a passive listener
// cannot keep the page from scrolling, so this one is set by hand.

import { type RefObject, useEffect } from 'react'

const STEP = 1.2

/** `at` is where the pointer stands, in pixels from the upper left corner. */
export type Zoomed = (factor: number, at: readonly [number, number]) => void

/** `onZoom` must not change from one drawing to the next. */
export function useWheel(canvas: RefObject<HTMLCanvasElement | null>, onZoom: Zoomed): void {
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.shiftKey) return
      event.preventDefault()
      onZoom((event.deltaY || event.deltaX) > 0 ? STEP : 1 / STEP, [event.offsetX, event.offsetY])
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [canvas, onZoom])
}

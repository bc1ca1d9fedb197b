// The wheel with Ctrl or Shift zooms; otherwise it scrolls the page as usual. React adds passive wheel listeners, which cannot prevent
// scrolling, so this one is added by hand.

import { type RefObject, useEffect, useRef } from 'react'

const STEP = 1.2

/** `at` is the pointer position, in pixels from the upper left corner. */
export type OnZoom = (factor: number, at: readonly [number, number]) => void

/** `isDrawn`: the element exists. */
export function useWheel(drawn: RefObject<HTMLCanvasElement | SVGSVGElement | null>, onZoom: OnZoom, isDrawn = true): void {
  const latest = useRef(onZoom)
  useEffect(() => {
    latest.current = onZoom
  })
  useEffect(() => {
    const element = drawn.current
    if (!element || !isDrawn) return
    const wheel = (event: Event): void => {
      if (!(event instanceof WheelEvent)) return
      if (!event.ctrlKey && !event.shiftKey) return
      event.preventDefault()
      const { left, top } = element.getBoundingClientRect()
      latest.current((event.deltaY || event.deltaX) > 0 ? STEP : 1 / STEP, [event.clientX - left, event.clientY - top])
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [drawn, isDrawn])
}

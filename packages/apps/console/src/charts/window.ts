// The visible part of an axis, in shares of the whole: zoomed about a point, moved, or selected.

import { movedWindow, zoomedWindow } from './gantt-window.ts'
import type { ScaleKind } from './scale.ts'

export type VisibleRange = readonly [from: number, to: number]

export const FULL_RANGE: VisibleRange = [0, 1]

export function zoomedRange([from, to]: VisibleRange, factor: number, at: number): VisibleRange {
  const window = zoomedWindow({ from, to }, { span: 1, factor, at })
  return [window.from, window.to]
}

export function movedRange([from, to]: VisibleRange, share: number): VisibleRange {
  const window = movedWindow({ from, to }, 1, share)
  return [window.from, window.to]
}

/** Both in shares of the visible part. */
export function chosenRange([from, to]: VisibleRange, [first, second]: readonly [number, number]): VisibleRange {
  const within = (share: number): number => from + (to - from) * Math.max(0, Math.min(1, share))
  return [within(Math.min(first, second)), within(Math.max(first, second))]
}

type Domain = readonly [number, number]

/** The values that a part of an axis shows. */
export function visibleDomain([low, high]: Domain, kind: ScaleKind, [from, to]: VisibleRange): Domain {
  if (kind !== 'log') return [low + (high - low) * from, low + (high - low) * to]
  const ratio = high / low
  return [low * ratio ** from, low * ratio ** to]
}

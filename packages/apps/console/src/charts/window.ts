// The visible part of an axis or a picture, in shares of the whole: zoomed about a point, moved, or selected.

import type { ScaleKind } from './scale.ts'

export type VisibleRange = readonly [from: number, to: number]

export const FULL_RANGE: VisibleRange = [0, 1]

/** No closer than this share of the whole. */
const CLOSEST = 1 / 2000

/** Zoomed about a point of the visible part (0 at its left edge, 1 at its right), and kept inside the whole. */
export function zoomedRange([from, to]: VisibleRange, factor: number, at: number): VisibleRange {
  const width = Math.min(1, Math.max(CLOSEST, (to - from) * factor))
  return clampedRange(from + (to - from - width) * at, width)
}

/** Moved by a share of the visible part. */
export const movedRange = ([from, to]: VisibleRange, share: number): VisibleRange => clampedRange(from + (to - from) * share, to - from)

/** The whole is one value, so that a change to it is seen. */
function clampedRange(from: number, width: number): VisibleRange {
  const start = Math.max(0, Math.min(1 - width, from))
  return width >= 1 ? FULL_RANGE : [start, start + width]
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

/** The visible part of a picture, from its lower left corner. */
export type VisibleArea = { readonly x: VisibleRange; readonly y: VisibleRange }

export const FULL_AREA: VisibleArea = { x: FULL_RANGE, y: FULL_RANGE }

export const zoomedArea = ({ x, y }: VisibleArea, factor: number, at: readonly [number, number]): VisibleArea => ({
  x: zoomedRange(x, factor, at[0]),
  y: zoomedRange(y, factor, at[1]),
})

export const movedArea = ({ x, y }: VisibleArea, by: readonly [number, number]): VisibleArea => ({
  x: movedRange(x, by[0]),
  y: movedRange(y, by[1]),
})

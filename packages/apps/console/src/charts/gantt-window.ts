// The visible part of a timeline, and how it moves.

export type TimeWindow = { readonly from: number; readonly to: number }

/** No closer than this share of the whole. */
const CLOSEST = 1 / 2000

/** Zoomed by a factor around a point (0 at the left edge, 1 at the right), kept inside the whole. */
export function zoomedWindow(
  { from, to }: TimeWindow,
  { span, factor, at }: { readonly span: number; readonly factor: number; readonly at: number },
): TimeWindow {
  const width = Math.min(span, Math.max(span * CLOSEST, (to - from) * factor))
  return clampedWindow(from + (to - from - width) * at, width, span)
}

/** Moved by a share of the visible part. */
export const movedWindow = ({ from, to }: TimeWindow, span: number, share: number): TimeWindow =>
  clampedWindow(from + (to - from) * share, to - from, span)

function clampedWindow(from: number, width: number, span: number): TimeWindow {
  const start = Math.max(0, Math.min(span - width, from))
  return { from: start, to: start + width }
}

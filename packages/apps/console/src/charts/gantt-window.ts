// The part of a timeline that is looked at, and how it moves.

export type Window = { readonly from: number; readonly to: number }

/** No closer than this share of the whole. */
const CLOSEST = 1 / 2000

/** Zoomed by a factor around a point (0 at the left edge, 1 at the right), kept inside the whole. */
export function zoomed(
  { from, to }: Window,
  { span, factor, at }: { readonly span: number; readonly factor: number; readonly at: number },
): Window {
  const width = Math.min(span, Math.max(span * CLOSEST, (to - from) * factor))
  return inside(from + (to - from - width) * at, width, span)
}

/** Moved by a share of what is seen. */
export const moved = ({ from, to }: Window, span: number, share: number): Window => inside(from + (to - from) * share, to - from, span)

function inside(from: number, width: number, span: number): Window {
  const start = Math.max(0, Math.min(span - width, from))
  return { from: start, to: start + width }
}
